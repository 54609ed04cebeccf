"""What is new in a run's findings between two looks: one that appeared, got worse, or cleared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from liverl.diagnose.finding import Finding
from liverl.operate.answer import cut

_TITLE_CHARS = 140
Change = Literal["appeared", "worsened", "cleared"]


@dataclass(frozen=True)
class Seen:
    """A finding that changed; `follow` more findings come from it, `is_first` says that nobody had looked before."""

    change: Change
    finding: Finding
    follow: int = 0
    is_first: bool = False

    @property
    def text(self) -> str:
        """The change in one line."""
        found = self.finding
        if self.change == "cleared":
            return f"no longer shows {found.id}" + (
                "" if found.cleared is None else f", since step {found.cleared}"
            )
        began = f", since {found.began}" if str(found.began) else ""
        told = f"{found.id} ({found.severity}{began}): {cut(found.title, _TITLE_CHARS)}"
        if self.change == "worsened":
            return f"has got worse: {told}"
        more = f"; {self.follow} more follow from it" if self.follow else ""
        return f"{'shows' if self.is_first else 'now shows'} {told}{more}"


def news(before: Sequence[Finding], now: Sequence[Finding], *, is_first: bool = False) -> list[Seen]:
    """What has changed; causes only, what follows from them is told with them. Of a first look what stands."""
    old = {each.id: each for each in before if each.is_alarm}
    new = {each.id: each for each in now if each.is_alarm}
    said = []
    for each in new.values():
        if each.secondary_to:
            continue
        known = old.get(each.id)
        if known is None or known.secondary_to:
            follow = sum(1 for other in now if other.secondary_to == each.id)
            said.append(Seen("appeared", each, follow, is_first))
        elif each.rank < known.rank:
            said.append(Seen("worsened", each))
        elif each.cleared is not None and known.cleared is None:
            said.append(Seen("cleared", each))
    gone = [each for name, each in old.items() if name not in new and not each.secondary_to]
    return said + [Seen("cleared", each) for each in gone]
