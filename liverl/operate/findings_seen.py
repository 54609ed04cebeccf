"""What is new in a run's findings between two looks: one that appeared, got worse, or cleared."""

from __future__ import annotations

from collections.abc import Sequence

from liverl.diagnose.finding import Finding
from liverl.operate.answer import cut

_TITLE_CHARS = 140


def news(before: Sequence[Finding], now: Sequence[Finding], *, is_first: bool = False) -> list[str]:
    """A line each; causes only, what follows from them is told with them. Of a first look what stands."""
    old = {each.id: each for each in before if each.is_alarm}
    new = {each.id: each for each in now if each.is_alarm}
    lines = []
    for each in new.values():
        if each.secondary_to:
            continue
        known = old.get(each.id)
        if known is None or known.secondary_to:
            lines.append(f"{'shows' if is_first else 'now shows'} {_told(each)}{_avalanche(each, now)}")
        elif each.rank < known.rank:
            lines.append(f"has got worse: {_told(each)}")
        elif each.cleared is not None and known.cleared is None:
            lines.append(f"no longer shows {each.id}, since step {each.cleared}")
    gone = [each for name, each in old.items() if name not in new and not each.secondary_to]
    return lines + [f"no longer shows {each.id}" for each in gone]


def _told(finding: Finding) -> str:
    began = f", since {finding.began}" if str(finding.began) else ""
    return f"{finding.id} ({finding.severity}{began}): {cut(finding.title, _TITLE_CHARS)}"


def _avalanche(finding: Finding, findings: Sequence[Finding]) -> str:
    count = sum(1 for each in findings if each.secondary_to == finding.id)
    return f"; {count} more follow from it" if count else ""
