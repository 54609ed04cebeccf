"""How a boot is followed, and what becomes of one that takes too long."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from liverl.record.events import Event, read_events
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan
from liverl.record.runfile import read_run
from liverl.record.stages import STAGES, Boot, read_boot
from liverl.record.trials import append_trial
from liverl.run.bootwatch import BootWatch, judge_boot
from liverl.run.stop import stop
from tests.record.rows import trial_row
from tests.run.scripted import Launch, all_gone, ended, made_pids, process, until


def stage_of(run: RunDir) -> str:
    boot = read_boot(read_events(run))
    return boot.stage if boot else "none"


@pytest.mark.fault
def test_an_attempt_that_stays_in_a_stage_for_too_long_is_ended_with_the_stage_and_where_to_look(
    launch_run: Launch,
) -> None:
    loading = {"stage": "replicas", "ready": 1, "of": 2}
    run = launch_run(
        steps=0, end="hang", stubborn=False, stages=[{"stage": "ray"}, loading], boot_limits={"replicas": 0.5}
    )
    state = ended(run)
    assert state.state == "failed"
    assert "replicas" in state.reason
    assert "1 of 2 ready" in state.reason
    assert str(run.attempt_log(1)) in state.reason
    assert all_gone(made_pids(run, 1))


@pytest.mark.fault
def test_the_first_trial_ends_the_boot_and_no_limit_holds_after_it(launch_run: Launch) -> None:
    stages = [
        {"stage": "ray"},
        {"stage": "replicas", "ready": 1, "of": 1},
        {"stage": "litellm", "done": True},
    ]
    run = launch_run(steps=0, end="hang", stubborn=False, stages=stages, boot_limits={"first_trial": 600.0})
    until(lambda: stage_of(run) == "first_trial")
    append_trial(run, trial_row(outcome="solved", reward=1.0))
    until(lambda: stage_of(run) == "")
    assert read_events(run)[-1].fields["message"] == "the first trial has ended: off-by-one, solved"
    assert stop(run, "test").is_over


@pytest.mark.fault
def test_while_an_attempt_is_being_ended_it_is_stopping_and_says_why(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    made_pids(run)
    os.kill(process(run, "trainer"), signal.SIGKILL)
    # Its stubborn processes take three seconds to end.
    last = until(lambda: found if (found := read_run(run).last).state == "stopping" else None, 1.5)
    assert "SIGKILL" in last.reason
    assert ended(run).state == "failed"


def test_every_stage_has_its_own_limit_and_one_without_may_take_for_ever() -> None:
    watch = BootWatch(RunDir(Path("/nonexistent/r")), AttemptPlan(1, "r", 1, (), boot_limits={"ray": 0.0}))
    assert watch.overdue() == ""
    for stage in STAGES:
        watch.see(Event("2026-01-01T00:00:00.000Z", "started") if stage == "environment" else boot(stage))
        assert bool(watch.overdue()) == (stage == "ray")
    watch.see(Event("", "step"))
    assert watch.overdue() == ""


def boot(stage: str) -> Event:
    return Event("2026-01-01T00:00:01.000Z", "boot", {"stage": stage})


def test_the_reason_names_stage_time_limit_and_where_to_look() -> None:
    reason = judge_boot(Boot("litellm", ""), 481.2, 480.0, "/x/litellm.log")
    assert reason.startswith("the boot was at its stage litellm (")
    assert reason.endswith("for 481 s, its limit is 480 s; look at /x/litellm.log")
