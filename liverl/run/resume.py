"""One more attempt of a run, in the same directory, from its last checkpoint."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan, write_plan
from liverl.run.launch import refuse_shared_ports, start_attempt
from liverl.run.liveness import read_liveness
from liverl.run.processes import reference, send, start_ticks
from liverl.run.retention import newest_complete

_SWEEP_LIMIT_S = 10.0


def resume(run: RunDir, python: str = sys.executable, plan: AttemptPlan | None = None) -> AttemptPlan:
    """Start the next attempt, by `plan` or as the last was planned; raises `RunError` when it can't be."""
    # Before the look at the run: an attempt that is planned after it is found below.
    last = newest_attempt(run)
    state = read_liveness(run)
    if state.is_live:
        raise _alive(run, state.state)
    if state.state == "finished":
        further = (
            f"to train its policy further, set model.path in config.yaml to {run.policy}, then: liverl run"
        )
        raise RunError(
            "run.finished",
            f"The run {run.name} has made all its steps.",
            next_action=further if run.policy.is_dir() else f"liverl status {run.name}",
        )
    plan = replace(plan or read_plan(run, last), attempt=last + 1)
    refuse_shared_ports(run.root.parent, plan.ports, but=run)
    try:
        write_plan(run, plan)
    except FileExistsError:
        raise _alive(run, "being resumed by somebody else") from None
    end_leftovers(run)
    start_attempt(run, plan, python)
    return plan


def _alive(run: RunDir, state: str) -> RunError:
    return RunError(
        "run.alive",
        f"The run {run.name} is {state}; there is nothing to resume.",
        next_action=f"liverl status {run.name}",
    )


def resume_step(run: RunDir) -> int:
    """The step the next attempt goes on from; 0 without a checkpoint."""
    return newest_complete(run.checkpoints) or 0


def end_leftovers(run: RunDir) -> int:
    """Kill what still carries this run's mark in its environment; returns how many that were.

    Needed only when supervisor and guard were both killed; a live run never gets here.
    """
    mark = f"LIVERL_RUN_DIR={run.root}".encode()
    ended: set[int] = set()
    deadline = time.monotonic() + _SWEEP_LIMIT_S
    while time.monotonic() < deadline:
        marked = [pid for pid in _own_pids() if _carries(pid, mark)]
        if not marked:
            break
        for pid in marked:
            ended.add(pid)
            send(reference("leftover", pid), signal.SIGKILL)
        time.sleep(0.05)
    return len(ended)


def _own_pids() -> list[int]:
    return [
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and int(path.name) != os.getpid()
    ]


def _carries(pid: int, mark: bytes) -> bool:
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return mark in environ.split(b"\0") and start_ticks(pid) is not None
