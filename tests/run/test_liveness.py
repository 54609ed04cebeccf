"""The state of a run, read from its directory alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, write_plan
from liverl.record.runfile import Attempt, ProcessRef, RunRecord, write_run
from liverl.run.liveness import read_liveness
from liverl.run.processes import boot_id, descendants, is_alive, pid_namespace, reference


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir.create(tmp_path / "r")


def record(run: RunDir, **changes: object) -> None:
    """A running attempt whose supervisor is this very process, with some fields changed."""
    me = reference("supervisor", os.getpid())
    attempt = Attempt(
        1, "2026-01-01T00:00:00.000Z", socket.gethostname(), boot_id(), pid_namespace(), "running"
    )
    attempt = replace(attempt, **{"processes": (me,), **changes})  # type: ignore[arg-type]
    write_run(run, RunRecord("r", attempt.started, 30, {}, (attempt,)))


def age_heartbeat(run: RunDir, age_s: float) -> None:
    run.heartbeat.touch()
    os.utime(run.heartbeat, (time.time() - age_s,) * 2)


def test_a_living_supervisor_is_a_running_run(run: RunDir) -> None:
    record(run)
    age_heartbeat(run, 1)
    assert read_liveness(run).state == "running"


def test_another_process_with_the_supervisors_pid_is_not_the_supervisor(run: RunDir) -> None:
    me = reference("supervisor", os.getpid())
    record(run, processes=(replace(me, start_ticks=me.start_ticks - 1),))
    assert read_liveness(run).state == "dead"


def test_a_reboot_is_named(run: RunDir) -> None:
    record(run, boot_id="another")
    state = read_liveness(run)
    assert (state.state, state.reason) == ("dead", "this machine was restarted since")


@pytest.mark.parametrize(("age_s", "expected"), [(10, "running"), (600, "dead")])
def test_on_another_host_the_heartbeat_decides(run: RunDir, age_s: float, expected: str) -> None:
    record(run, boot_id="another", host="elsewhere")
    age_heartbeat(run, age_s)
    assert read_liveness(run).state == expected


def test_in_another_container_the_heartbeat_decides(run: RunDir) -> None:
    record(run, pid_namespace="pid:[1]", processes=(ProcessRef("supervisor", 1, 1),))
    age_heartbeat(run, 1)
    assert read_liveness(run).state == "running"


def test_a_living_supervisor_without_heartbeat_is_said_to_be_late(run: RunDir) -> None:
    record(run)
    age_heartbeat(run, 600)
    state = read_liveness(run)
    assert state.state == "running"
    assert "no heartbeat for 600 s" in state.reason


def test_an_attempt_that_was_planned_and_never_began_is_dead_after_a_while(run: RunDir) -> None:
    write_plan(run, AttemptPlan(1, "r", 3, ("x",)))
    assert read_liveness(run).state == "starting"
    old = time.time() - 300
    os.utime(run.attempt_plan(1), (old, old))
    assert read_liveness(run).state == "dead"


def test_a_folder_that_is_no_run_is_an_error(run: RunDir) -> None:
    with pytest.raises(RunError):
        read_liveness(run)


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    ref = reference("child", child.pid)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(ref)
    child.wait()


def test_descendants_are_found_at_any_depth() -> None:
    script = "import subprocess, sys; subprocess.run(['sleep', '600'])"
    child = subprocess.Popen([sys.executable, "-c", script])
    try:
        deadline = time.monotonic() + 20
        while "sleep" not in {item.name for item in descendants(os.getpid())} and time.monotonic() < deadline:
            time.sleep(0.02)
        found = {item.name: item for item in descendants(os.getpid())}
        assert "sleep" in found
    finally:
        for item in descendants(child.pid):
            os.kill(item.pid, 9)
        child.kill()
        child.wait()
