"""The state of a run, read from its directory alone."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.record.clock import to_utc
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, write_plan
from liverl.record.runfile import Attempt, ProcessRef, RunRecord, read_run, write_run
from liverl.run.liveness import read_liveness
from liverl.run.processes import boot_id, descendants, is_alive, pid_namespace, reference
from liverl.run.stop import stop
from tests.run.scripted import Launch, launch_run, until

__all__ = ["launch_run"]


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


def test_a_machine_of_the_same_name_that_beats_after_our_boot_is_another(run: RunDir) -> None:
    record(run, boot_id="another")
    age_heartbeat(run, 1)
    assert read_liveness(run).state == "running"


@pytest.mark.parametrize(("age_s", "expected"), [(10, "running"), (600, "unreachable")])
def test_on_another_host_the_heartbeat_decides(run: RunDir, age_s: float, expected: str) -> None:
    record(run, boot_id="another", host="elsewhere")
    age_heartbeat(run, age_s)
    assert read_liveness(run).state == expected


@pytest.mark.parametrize(("age_s", "expected"), [(1, "running"), (600, "unreachable")])
def test_in_another_container_the_heartbeat_decides(run: RunDir, age_s: float, expected: str) -> None:
    record(run, pid_namespace="pid:[1]", host="elsewhere", processes=(ProcessRef("supervisor", 1, 1),))
    age_heartbeat(run, age_s)
    assert read_liveness(run).state == expected


@pytest.mark.parametrize(("age_s", "expected"), [(1, "running"), (600, "dead")])
def test_a_silent_run_of_this_very_container_before_its_restart_is_dead(
    run: RunDir, age_s: float, expected: str
) -> None:
    record(run, pid_namespace="pid:[1]", processes=(ProcessRef("supervisor", 1, 1),))
    age_heartbeat(run, age_s)
    assert read_liveness(run).state == expected


@pytest.mark.parametrize(("age_s", "expected"), [(1, "starting"), (600, "dead")])
def test_a_supervisor_that_never_recorded_itself_is_dead_after_a_while(
    run: RunDir, age_s: float, expected: str
) -> None:
    record(run, state="starting", started=to_utc(time.time() - age_s), processes=())
    assert read_liveness(run).state == expected


def test_the_heartbeat_of_the_attempt_before_says_nothing_of_a_new_one(run: RunDir) -> None:
    started = to_utc(time.time())
    age_heartbeat(run, 600)
    record(run, number=2, state="starting", started=started, processes=())
    assert read_liveness(run).state == "starting"
    record(run, number=2, started=started)
    assert (read_liveness(run).state, read_liveness(run).reason) == ("running", "")
    record(run, number=2, started=started, boot_id="another", host="elsewhere")
    assert read_liveness(run).state == "running"


def test_of_an_unreachable_run_nobody_says_that_it_is_dead(run: RunDir) -> None:
    record(run, boot_id="another", host="elsewhere")
    state = read_liveness(run)
    assert (state.state, state.is_live) == ("unreachable", False)
    assert "elsewhere" in state.reason and "never" in state.reason


def test_a_trainer_that_is_gone_while_its_supervisor_lives_is_a_run_that_stops(run: RunDir) -> None:
    me = reference("supervisor", os.getpid())
    record(run, processes=(me, replace(me, name="trainer", start_ticks=1)))
    age_heartbeat(run, 1)
    state = read_liveness(run)
    assert (state.state, state.is_live) == ("stopping", True)
    assert "the trainer" in state.reason and "ends the attempt" in state.reason
    age_heartbeat(run, 600)
    assert "does not move, for 600 s" in read_liveness(run).reason


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff",
        b"[]",
        b"{}",
        b'{"attempts": []}',
        b'{"name": 1, "created": 2, "steps": Infinity, "attempts": []}',
        b'{"name": "r", "created": "", "steps": 3, "attempts": ["x"]}',
        b"[" * 100_000,
    ],
)
def test_a_record_that_is_none_is_an_error_with_a_next_action(run: RunDir, content: bytes) -> None:
    run.run_json.write_bytes(content)
    with pytest.raises(RunError) as told:
        read_liveness(run)
    assert told.value.code == "run.bad_run_file"
    assert told.value.next_action


@pytest.mark.parametrize(
    ("name", "value"),
    [("state", 7), ("state", "lost"), ("started", None), ("number", "1"), ("reason", [1]), ("host", {})],
)
def test_values_of_a_wrong_kind_are_an_error_with_a_next_action(
    run: RunDir, name: str, value: object
) -> None:
    record(run, **{name: value})
    with pytest.raises(RunError) as told:
        read_liveness(run)
    assert told.value.next_action


def test_a_folder_in_the_records_place_is_an_error_with_a_next_action(run: RunDir) -> None:
    run.run_json.mkdir()
    with pytest.raises(RunError) as told:
        read_liveness(run)
    assert told.value.next_action


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


def test_a_copy_of_a_live_run_is_not_the_run_and_stopping_it_ends_nothing(launch_run: Launch) -> None:
    run = launch_run(name="first", end="hang", stubborn=False)
    until(lambda: read_run(run).last.process("trainer") is not None)
    copy = RunDir(run.root.with_name("copy"))
    shutil.copytree(run.root, copy.root, symlinks=True)
    state = read_liveness(copy)
    assert state.state == "dead" and str(run.root) in state.reason
    with pytest.raises(RunError, match="nothing to stop"):
        stop(copy, "test")
    assert read_liveness(run).is_live
