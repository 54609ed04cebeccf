"""What state a run is in, read from its directory alone: robust to reused pids, reboots and shared disks."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from liverl.errors import RunError
from liverl.record.clock import to_seconds
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.record.runfile import OPEN_STATES, Attempt, RunRecord, read_run
from liverl.run.processes import boot_id, is_alive, pid_namespace

# The supervisor touches its heartbeat every 5 s; a shared disk may show that late.
STALE_S = 60.0
_START_LIMIT_S = 30.0


@dataclass(frozen=True)
class Liveness:
    """A run's state and why.

    `state`: starting, running, stopping, finished, stopped, failed, dead (its supervisor is gone and nobody
    recorded an end), or unreachable (it ran where its processes can't be seen from here, and its heartbeat is
    stale: nobody here can know). `heartbeat_age_s` is None when there never was one; `record` is None without a
    run.json.
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
    """Judge a run from its directory; raises `RunError` when the directory is no run, or its record can't be read."""
    planned = _newest_planned(run)
    try:
        record = read_run(run)
    except RunError:
        if planned == 0 or run.run_json.exists():
            raise
        return _unrecorded(run, planned, None)
    if planned > record.last.number:
        return _unrecorded(run, planned, record)
    age = heartbeat_age_s(run)
    if not record.last.is_open:
        return Liveness(record.last.state, record.last.reason, record, age)
    if _is_copy(run, record):
        return Liveness("dead", f"it is a copy: the run itself is in {record.root}", record, age)
    judge = _judge_ours if is_ours(record.last) else _judge_foreign
    state, reason = judge(record.last, _silence_s(record.last, age))
    return Liveness(state, reason, record, age)


def heartbeat_age_s(run: RunDir) -> float | None:
    """Seconds since the last heartbeat; None when there is none."""
    try:
        return max(0.0, time.time() - run.heartbeat.stat().st_mtime)
    except OSError:
        return None


def _is_copy(run: RunDir, record: RunRecord) -> bool:
    """Whether the processes on record are those of another directory, of which this one is a copy."""
    return bool(record.root) and os.path.realpath(record.root) != os.path.realpath(run.root)


def is_ours(attempt: Attempt) -> bool:
    """Whether the attempt's pids mean something here: the same boot and the same namespace."""
    return attempt.boot_id == boot_id() and attempt.pid_namespace == pid_namespace()


def _silence_s(attempt: Attempt, heartbeat_age_s: float | None) -> float | None:
    """Seconds since an attempt's last sign: a heartbeat older than itself is that of the attempt before."""
    return None if heartbeat_age_s is None else min(heartbeat_age_s, _age_s(attempt))


def _age_s(attempt: Attempt) -> float:
    return max(0.0, time.time() - to_seconds(attempt.started))


def _judge_ours(attempt: Attempt, age_s: float | None) -> tuple[str, str]:
    supervisor, trainer = attempt.process("supervisor"), attempt.process("trainer")
    # run.json is written once before the supervisor adds itself, and the heartbeat is only touched later.
    if supervisor is None:
        is_new = _age_s(attempt) < _START_LIMIT_S
        return (attempt.state, "") if is_new else ("dead", "its supervisor ended as it began")
    if not is_alive(supervisor):
        return "dead", f"its supervisor (pid {supervisor.pid}) is gone without a word"
    silent = age_s is not None and age_s >= STALE_S
    if attempt.state != "stopping" and trainer is not None and not is_alive(trainer):
        doing = f"does not move, for {age_s:.0f} s" if silent else "ends the attempt"
        return (
            "stopping",
            f"the trainer (pid {trainer.pid}) is gone; its supervisor (pid {supervisor.pid}) {doing}",
        )
    late = f"no heartbeat for {age_s:.0f} s although its supervisor lives" if silent else ""
    return attempt.state, late or attempt.reason


def _judge_foreign(attempt: Attempt, age_s: float | None) -> tuple[str, str]:
    """A run whose pids mean nothing here: of an earlier boot, in another container, or on another host."""
    has_our_name = attempt.host == socket.gethostname() and attempt.boot_id != boot_id()
    silent_s = _age_s(attempt) if age_s is None else age_s
    if has_our_name and time.time() - silent_s < _booted_s():
        return "dead", "this machine was restarted since"
    if silent_s < STALE_S:
        return attempt.state, attempt.reason
    seen = "never" if age_s is None else f"{age_s:.0f} s ago"
    is_this_boot = attempt.boot_id == boot_id()
    # One clock, so the heartbeat is not late by a shared disk's ways; a container keeps its name when restarted.
    if is_this_boot and attempt.host == socket.gethostname():
        return "dead", f"the container it ran in was started anew or has ended; its last heartbeat was {seen}"
    where = "another container of this machine" if is_this_boot else attempt.host
    return (
        "unreachable",
        f"it runs on {where}, where it can't be seen from here; its last heartbeat was {seen}",
    )


def _booted_s() -> float:
    """When this machine was started, in seconds since 1970; now where the kernel does not say."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("btime "))
    except (OSError, ValueError, StopIteration):
        return time.time()


def _newest_planned(run: RunDir) -> int:
    try:
        return newest_attempt(run)
    except (OSError, ValueError) as cause:  # a file whose number is none
        raise _unreadable(run, repr(cause)) from cause


def _unreadable(run: RunDir, evidence: str) -> RunError:
    return RunError(
        "run.bad_run_file",
        f"{run.run_json} can't be read.",
        evidence=evidence[:300],
        next_action=f"head -c 300 {run.run_json}",
    )


def _unrecorded(run: RunDir, planned: int, record: RunRecord | None) -> Liveness:
    try:
        age = max(0.0, time.time() - run.attempt_plan(planned).stat().st_mtime)
    except OSError:
        age = _START_LIMIT_S
    if age < _START_LIMIT_S:
        return Liveness("starting", f"attempt {planned} is being started", record)
    return Liveness("dead", f"attempt {planned} was planned {age:.0f} s ago and never began", record)
