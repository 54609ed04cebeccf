"""What a trainer prints of a trial is the model's own words: an error that they quote is none of the run's.

verl's reward managers print `[prompt] ...`, `[response] ...`, `[ground_truth] ...`, then `[score] ...`, each but the
last of many lines; EasyR1's say `[output]`. They print them at once, so no error of the run's own is said between:
what stands there is held back, and dropped when the sample ends.

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
MARKS = tuple(each.encode() for each in (*_OPENS, _END))
# A prompt and an answer of 32,000 tokens each; what is longer is no sample.
_MOST_BYTES = 1 << 18


class Samples:
    """Which lines stand in a sample. Of those `held` this is not known yet; each is with the pattern that it met."""

    def __init__(self) -> None:
        self.held: list[tuple[str, Met]] = []
        self._actor: str | None = None
        self._begun = 0

    def mark(self, text: str, actor: str, offset: int) -> None:
        """Take a line that may begin or end a sample."""
        if self._actor is None and text.startswith(_OPENS):
            self._actor, self._begun = actor, offset
        elif self._actor == actor and text.startswith(_END):
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


def without_samples(tail: Sequence[TailLine]) -> list[TailLine]:
    """A log's last lines without those of samples, the oldest first; a sample that has not ended is kept."""
    left: list[TailLine] = []
    # Of each process, where its sample begins among those left; None between two samples.
    begun: dict[str, int | None] = {}
    for line in tail:
        left.append(line)
        if not line.text.startswith(_MARKS):
            continue
        actor = cleaned(line.raw).actor
        if begun.get(actor) is None:
            # The first one that is met may have begun further above.
            is_above = actor not in begun and not line.text.startswith(_FIRST)
            begun[actor] = 0 if is_above else len(left) - 1
        at = begun[actor]
        if at is not None and line.text.startswith(_END):
            left = [*left[:at], *(each for each in left[at:] if cleaned(each.raw).actor != actor)]
            begun = {
                each: min(place, len(left)) if place is not None else None for each, place in begun.items()
            }
            begun[actor] = None
    return left
