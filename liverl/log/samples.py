"""What is printed of a trial is the model's own words, or what its commands said: no error there is one of the run's.

verl's reward managers print `[prompt] ...`, `[response] ...`, `[ground_truth] ...`, then `[score] ...`, each but the
last of many lines; EasyR1's say `[output]`. mini-swe-agent prints what a command said between `<output>` and
`</output>`, each alone in its line. They are printed at once, so no error of the run's own is said between: what stands
there is held back, and dropped when the sample ends.

Samples          the same, line by line
without_samples  a log's last lines without them
"""

from __future__ import annotations

from collections.abc import Sequence

from liverl.log.nearby import TailLine
from liverl.log.seen import Met
from liverl.log.segments import cleaned

_FIRST, _END = "[prompt]", "[score]"
_OPENS = (_FIRST, "[response]", "[output]")
_MARKS = (*_OPENS, "[ground_truth]", _END)
_SAID, _SAID_END = "<output>", "</output>"
MARKS = tuple(each.encode() for each in (*_OPENS, _END, _SAID, _SAID_END))
# A prompt and an answer of 32,000 tokens each; what is longer is no sample.
_MOST_BYTES = 1 << 18


class Samples:
    """Which lines stand in a sample. Of those `held` this is not known yet; each is with the pattern that it met."""

    def __init__(self) -> None:
        self.held: list[tuple[str, Met]] = []
        self._actor: str | None = None
        self._begun, self._end = 0, ""

    def mark(self, text: str, actor: str, offset: int) -> None:
        """Take a line that may begin or end a sample."""
        if self._actor is None and (end := _end_of(text)):
            self._actor, self._begun, self._end = actor, offset, end
        elif self._actor == actor and text.startswith(self._end):
            self.held.clear()
            self._actor = None

    def holds(self, key: str, met: Met) -> bool:
        """Whether a line stands in a sample that has begun, and is held back."""
        if self._actor != met.actor or met.offset - self._begun > _MOST_BYTES:
            return False
        self.held.append((key, met))
        return True

    def let_go(self, offset: int) -> list[tuple[str, Met]]:
        """What was held back wrongly: what began as a sample has not ended within the length of one."""
        if self._actor is None or offset - self._begun <= _MOST_BYTES:
            return []
        self._actor = None
        held, self.held = self.held, []
        return held


def _end_of(text: str) -> str:
    """With what the sample ends that a line begins; "" where it begins none."""
    return _END if text.startswith(_OPENS) else _SAID_END if text.strip() == _SAID else ""


def without_samples(tail: Sequence[TailLine]) -> list[TailLine]:
    """A log's last lines without those of samples, the oldest first; a sample that has not ended is kept."""
    left: list[TailLine] = []
    # Of each process, where its sample begins among those left, and with what it ends; None between two samples.
    begun: dict[str, tuple[int, str] | None] = {}
    for line in tail:
        left.append(line)
        if not line.text.startswith(_MARKS) and line.text.strip() not in (_SAID, _SAID_END):
            continue
        actor = cleaned(line.raw).actor
        if begun.get(actor) is None:
            # The first one that is met may have begun further above.
            is_above = actor not in begun and not line.text.startswith((_FIRST, _SAID))
            end = _end_of(line.text) or (_SAID_END if line.text.startswith(_SAID_END) else _END)
            begun[actor] = (0 if is_above else len(left) - 1, end)
        at = begun[actor]
        if at is not None and line.text.startswith(at[1]):
            left = [*left[: at[0]], *(each for each in left[at[0] :] if cleaned(each.raw).actor != actor)]
            begun = {
                each: (min(place[0], len(left)), place[1]) if place is not None else None
                for each, place in begun.items()
            }
            begun[actor] = None
    return left
