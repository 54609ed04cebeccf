"""Guards: findings on which a run is asked to stop by itself. Off unless config.yaml names them."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from liverl.config import RunConfig
from liverl.operate.answer import cut
from liverl.record.asks import ask_stop
from liverl.record.layout import RunDir

if TYPE_CHECKING:
    from liverl.diagnose.finding import Finding
    from liverl.diagnose.writeup import WriteUp


def guards_of(run: RunDir) -> tuple[str, ...]:
    """The ids (with `*`) of `logging.stop_on` as the run was launched; none where that can't be read."""
    try:
        return tuple(RunConfig.read_resolved(run.resolved).logging.stop_on)
    except (OSError, ValueError):
        return ()


def idle(guards: Sequence[str], writeups: Sequence[WriteUp]) -> tuple[str, ...]:
    """The guards that can never be due: no fatal failure that is known has such an id."""
    fatal = [each.id for each in writeups if each.severity == "fatal"]
    return tuple(guard for guard in guards if not any(fnmatchcase(each, guard) for each in fatal))


def due(findings: Sequence[Finding], guards: Sequence[str]) -> Finding | None:
    """The fatal finding that a guard names and that still holds; None where there is none.

    What is only an error, has passed, or follows from something else stops nothing: its cause has to be named.
    """
    for each in findings:
        holds = each.severity == "fatal" and each.cleared is None and not each.secondary_to
        if holds and any(fnmatchcase(each.id, pattern) for pattern in guards):
            return each
    return None


def stop_for(run: RunDir, finding: Finding) -> str:
    """Ask the run's supervisor to stop; returns the line to tell. Raises `OSError` where that can't be written."""
    reason = f"guard: {finding.id}: {cut(finding.title, 120)}"
    ask_stop(run, reason)
    return f"is being stopped ({reason})"
