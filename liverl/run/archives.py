"""Archives attempts whose own supervisor could not."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from liverl.errors import LiveRLError, RunError
from liverl.record.archive import archive_attempt
from liverl.record.clock import to_utc, utc_now
from liverl.record.layout import RunDir
from liverl.record.ledger import read_ledger
from liverl.record.plan import AttemptPlan, read_plan
from liverl.record.runfile import Attempt, read_run
from liverl.run.ends import describe_exit, exit_code
from liverl.run.liveness import read_liveness
from liverl.run.roots import runs_in


def archive_ended(run: RunDir, attempt: Attempt, plan: AttemptPlan | None = None) -> str:
    """Archive an attempt whose end is known; returns the archive's name, "" when there was one already."""
    code = exit_code(attempt.state, attempt.reason, attempt.exit_status)
    return archive_attempt(run, attempt, plan or _plan(run, attempt.number), code)


def archive_orphan(run: RunDir, number: int, supervisor_status: int) -> str:
    """Archive an attempt after its supervisor has ended, if that could not; raises `RunError` or `OSError`.

    It need not be the newest one any more. Returns the archive's name, "" when there was one already, or the attempt
    never was on record.
    """
    attempt = next((item for item in read_run(run).attempts if item.number == number), None)
    if attempt is None:
        return ""
    if attempt.is_open:
        reason = f"its supervisor {describe_exit(supervisor_status)}"
        attempt = replace(
            attempt, state="dead", reason=reason, exit_status=supervisor_status, ended=utc_now()
        )
    return archive_ended(run, attempt)


def make_up(root: Path) -> list[str]:
    """Archive what ended in a root unseen: every attempt there that has ended and has no row in the ledger.

    Returns the names of the archives made; what can't be read or written is left for the next time.
    """
    made: list[str] = []
    try:
        known = {row.key for row in read_ledger(root)}
    except OSError:
        return made
    for run in runs_in(root):
        with contextlib.suppress(LiveRLError, OSError):
            for attempt in _ended(run):
                if (run.name, attempt.number, attempt.started) not in known:
                    made.append(archive_ended(run, attempt))
    return [name for name in made if name]


def _ended(run: RunDir) -> list[Attempt]:
    """The attempts that have an end; the newest one of a dead run gets it here."""
    state = read_liveness(run)
    attempts = state.record.attempts if state.record else ()
    is_dead = state.state == "dead"
    return [
        _closed(run, attempt, state.reason)
        for attempt in attempts
        if not attempt.is_open or (is_dead and attempt is attempts[-1])
    ]


def _closed(run: RunDir, attempt: Attempt, why_dead: str) -> Attempt:
    if not attempt.is_open:
        return attempt
    try:
        ended = to_utc(run.heartbeat.stat().st_mtime)
    except OSError:
        ended = attempt.started
    return replace(attempt, state="dead", reason=why_dead, ended=ended)


def _plan(run: RunDir, attempt: int) -> AttemptPlan | None:
    try:
        return read_plan(run, attempt)
    except RunError:
        return None
