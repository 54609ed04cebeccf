"""One more attempt of a run, in the same directory, from its last checkpoint."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan, write_plan
from liverl.run.archives import make_up
from liverl.run.launch import link_log, refuse_shared_ports, start_attempt
from liverl.run.leftovers import end_leftovers
from liverl.run.liveness import read_liveness
from liverl.run.locks import ports_locked, run_locked
from liverl.run.retention import newest_complete


def resume(run: RunDir, python: str = sys.executable, plan: AttemptPlan | None = None) -> AttemptPlan:
    """Start the next attempt, by `plan` or as the last was planned; raises `RunError` when it can't be."""
    # Before the look at the run: an attempt that is planned after it is found below.
    last = newest_attempt(run)
    refuse(run)
    plan = replace(plan or read_plan(run, last), attempt=last + 1)
    with ports_locked(plan.ports.values()), run_locked(run):
        refuse(run)  # somebody else may have resumed it while we waited
        refuse_shared_ports(run.root.parent, plan.ports, but=run)
        make_up(run.root.parent)  # before there is a plan: from then on the attempt before is not the last
        links = links_of(run, last)
        plan = replace(plan, launch_link=link_log(links, run.attempt_log(plan.attempt)))
        try:
            write_plan(run, plan)
        except FileExistsError:
            raise _alive(run, "being resumed by somebody else") from None
        end_leftovers(run)
        start_attempt(run, plan, python)
    return plan


def resume_step(run: RunDir) -> int:
    """The step the next attempt goes on from; 0 without a checkpoint."""
    return newest_complete(run.checkpoints) or 0


def links_of(run: RunDir, attempt: int) -> Path | None:
    """The folder of an attempt's launch link; None when it had none, or the folder is gone."""
    try:
        link = read_plan(run, attempt).launch_link
    except RunError:
        return None
    return Path(link).parent if link and Path(link).parent.is_dir() else None


def refuse(run: RunDir) -> None:
    """Raise `RunError` where a run is alive, may be, or has nothing left to do."""
    state = read_liveness(run)
    if state.is_live:
        raise _alive(run, state.state)
    if state.state == "unreachable":
        raise RunError(
            "run.unreachable",
            f"The run {run.name} may still live on another machine.",
            evidence=state.reason,
            next_action=f"on that machine: liverl status {run.root}",
        )
    if state.state == "finished":
        further = (
            f"to train its policy further, set model.path in config.yaml to {run.policy}, then: liverl run"
        )
        raise RunError(
            "run.finished",
            f"The run {run.name} has made all its steps.",
            next_action=further if run.policy.is_dir() else f"liverl status {run.name}",
        )


def _alive(run: RunDir, state: str) -> RunError:
    return RunError(
        "run.alive",
        f"The run {run.name} is {state}; there is nothing to resume.",
        next_action=f"liverl status {run.name}",
    )
