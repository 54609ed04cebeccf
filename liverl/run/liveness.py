"""What state a run is in, read from its directory alone: robust to reused pids, reboots and shared disks."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.record.runfile import OPEN_STATES, Attempt, ProcessRef, RunRecord, read_run
from liverl.run.processes import boot_id, is_alive, pid_namespace

# The supervisor touches its heartbeat every 5 s; a shared disk may show that late.
STALE_S = 60.0
_START_LIMIT_S = 30.0


@dataclass(frozen=True)
class Liveness:
    """A run's state and why.

    `state`: starting, running, finished, stopped, failed, or dead (its supervisor is gone and nobody recorded
    an end); `heartbeat_age_s` is None when there never was one; `record` is None without a run.json.
    """

    state: str
    reason: str
    record: RunRecord | None = None
    heartbeat_age_s: float | None = None

    @property
    def is_live(self) -> bool:
        """Whether its processes are at work."""
        return self.state in OPEN_STATES


def read_liveness(run: RunDir) -> Liveness:
    """Judge a run from its directory; raises `RunError` when the directory is no run."""
    planned = newest_attempt(run)
    if planned == 0 and not run.run_json.exists():
        read_run(run)
    try:
        record = read_run(run)
    except RunError:
        if run.run_json.exists():
            raise
        return _unrecorded(run, planned, None)
    if planned > record.last.number:
        return _unrecorded(run, planned, record)
    age = heartbeat_age_s(run)
    if not record.last.is_open:
        return Liveness(record.last.state, record.last.reason, record, age)
    gone = _why_gone(record.last, age)
    if gone:
        return Liveness("dead", gone, record, age)
    late = (
        "" if age is None or age < STALE_S else f"no heartbeat for {age:.0f} s although its supervisor lives"
    )
    return Liveness(record.last.state, late, record, age)


def heartbeat_age_s(run: RunDir) -> float | None:
    """Seconds since the last heartbeat; None when there is none."""
    try:
        return max(0.0, time.time() - run.heartbeat.stat().st_mtime)
    except OSError:
        return None


def is_ours(attempt: Attempt) -> bool:
    """Whether the attempt's pids mean something here: the same boot and the same namespace."""
    return attempt.boot_id == boot_id() and attempt.pid_namespace == pid_namespace()


def survivors(attempt: Attempt) -> list[ProcessRef]:
    """The recorded processes of an attempt that still run; only true where its pids are ours."""
    return [process for process in attempt.processes if is_alive(process)] if is_ours(attempt) else []


def _why_gone(attempt: Attempt, age_s: float | None) -> str:
    supervisor = attempt.process("supervisor")
    if is_ours(attempt):
        # run.json is written once before the supervisor adds itself.
        if supervisor is None:
            return "" if age_s is None or age_s < _START_LIMIT_S else "its supervisor ended as it began"
        return "" if is_alive(supervisor) else f"its supervisor (pid {supervisor.pid}) is gone without a word"
    if attempt.host == socket.gethostname() and attempt.boot_id != boot_id():
        return "this machine was restarted since"
    if age_s is None or age_s >= STALE_S:
        seen = "never" if age_s is None else f"{age_s:.0f} s ago"
        return f"it ran on {attempt.host}, whose last heartbeat was {seen}"
    return ""


def _unrecorded(run: RunDir, planned: int, record: RunRecord | None) -> Liveness:
    age = max(0.0, time.time() - run.attempt_plan(planned).stat().st_mtime)
    if age < _START_LIMIT_S:
        return Liveness("starting", f"attempt {planned} is being started", record)
    return Liveness("dead", f"attempt {planned} was planned {age:.0f} s ago and never began", record)
