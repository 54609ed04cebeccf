"""Supervised attempts, with real processes that are killed on purpose."""

from __future__ import annotations

import os
import resource
import signal
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.record.events import post_event, read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.plan import read_plan, write_plan
from liverl.record.runfile import read_run
from liverl.record.trials import append_trial
from liverl.run import launch
from liverl.run.liveness import read_liveness
from liverl.run.processes import descendants
from liverl.run.resume import resume
from liverl.run.stop import stop
from tests.record.rows import trial_row
from tests.run.scripted import LIMIT_S, Launch, all_gone, ended, made_pids, process, until

pytestmark = pytest.mark.fault


def kinds(run: RunDir) -> list[str]:
    return [event.kind for event in read_events(run)]


def test_a_trainer_that_ends_well_leaves_a_finished_run_and_no_process(launch_run: Launch) -> None:
    run = launch_run(steps=3)
    pids = made_pids(run)
    assert ended(run).state == "finished"
    assert all_gone(pids)
    assert [row["step"] for row in read_metrics(run)] == [1, 2, 3]
    assert kinds(run)[0] == "started"
    assert kinds(run)[-1] == "finished"
    assert read_run(run).last.exit_status == 0


def test_a_trainer_that_raises_is_recorded_with_the_line_that_says_why(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="raise")
    state = ended(run)
    assert state.state == "failed"
    assert "RuntimeError: no more tasks after step 1" in state.reason
    died = read_events(run)[-1]
    assert died.kind == "died"
    assert died.fields["exit_status"] == 1
    assert died.fields["next"] == f"liverl resume {run.name}"


def test_a_killed_trainer_becomes_an_event_and_nothing_of_it_lives_on(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang")
    pids = made_pids(run)
    until(lambda: "step" in kinds(run))
    os.kill(process(run, "trainer"), signal.SIGKILL)
    state = ended(run)
    assert state.state == "failed"
    assert "SIGKILL" in state.reason
    assert all_gone(pids)
    assert "died" in kinds(run)


def test_a_killed_supervisor_takes_everything_with_it_and_readers_can_tell(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang")
    pids = made_pids(run)
    until(lambda: len(read_metrics(run)) == 2)
    guard = process(run, "guard")
    os.kill(process(run, "supervisor"), signal.SIGKILL)
    until(lambda: all_gone([*pids, guard]))
    state = read_liveness(run)
    assert state.state == "dead"
    assert "supervisor" in state.reason
    assert [row["step"] for row in read_metrics(run)] == [1, 2]


def test_after_a_killed_supervisor_a_resumed_run_goes_on_to_the_same_step(launch_run: Launch) -> None:
    run = launch_run(steps=6, pause_s=0.3)
    until(lambda: len(read_metrics(run)) >= 2)
    os.kill(process(run, "supervisor"), signal.SIGKILL)
    until(lambda: read_liveness(run).state == "dead")
    resume(run)
    assert ended(run).state == "finished"
    record = read_run(run)
    assert [(item.number, item.state) for item in record.attempts] == [(1, "failed"), (2, "finished")]
    rows = read_metrics(run)
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert {row["attempt"] for row in rows} == {1, 2}
    assert kinds(run).count("resumed") == 1


def test_what_a_killed_supervisor_had_not_yet_read_is_read_by_the_next(launch_run: Launch) -> None:
    run = launch_run(steps=3, end="hang")
    until(lambda: len(read_metrics(run)) == 3)
    supervisor = process(run, "supervisor")
    os.kill(supervisor, signal.SIGSTOP)
    post_event(run, "step_skipped", step=4)
    with run.attempt_metrics(1).open("ab") as stream:
        stream.write(b'{"step": 4, "data": {"a": 1}}\n{"step": 5, "da')
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: read_liveness(run).state == "dead")
    resume(run)
    until(lambda: "resumed" in kinds(run))
    assert "step_skipped" in kinds(run)
    assert [row["step"] for row in read_metrics(run)] == [1, 2, 3, 4]
    stop(run, "test", kill=True)


def test_a_door_that_dies_is_started_once_more_and_then_fails_the_run(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", door=(sys.executable, "-c", "raise SystemExit('port taken')"))
    state = ended(run)
    assert state.state == "failed"
    assert "door" in state.reason
    assert "port taken" in state.reason
    assert run.component_log(1, "litellm").read_text().split() == ["port", "taken", "port", "taken"]
    died = [event for event in read_events(run) if event.kind == "died"]
    assert [event.fields.get("restarted", False) for event in died] == [True, False]


def test_a_command_that_does_not_exist_fails_the_run_with_its_name(launch_run: Launch) -> None:
    run = launch_run(door=("/nonexistent/door",))
    assert ended(run).state == "failed"
    assert any("/nonexistent/door" in line for line in read_events(run)[-1].fields["lines"])


def test_posted_events_and_trials_become_events_and_metrics(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    until(lambda: read_metrics(run))
    append_trial(run, trial_row(step=2, reward=1.0, outcome="solved"))
    post_event(run, "trial_failed", task="x", blame="sandbox")
    with run.attempt_metrics(1).open("ab") as stream:
        stream.write(b'{"step": 2, "data": {"actor/lr": 0.1}}\n')
    rows = until(lambda: found if len(found := read_metrics(run)) == 2 else None)
    assert rows[1]["trial/reward/mean"] == 1.0
    assert rows[1]["actor/lr"] == 0.1
    until(lambda: "trial_failed" in kinds(run))
    stop(run, "test", kill=True)


def test_old_checkpoints_go_and_each_removal_is_an_event(launch_run: Launch) -> None:
    run = launch_run(steps=6, pause_s=0.4, keep=2)
    ended(run)
    left = sorted(path.name for path in run.checkpoints.glob("global_step_*"))
    assert left == ["global_step_5", "global_step_6"]
    removed = [event.fields["step"] for event in read_events(run) if event.kind == "removed"]
    assert removed == [1, 2, 3, 4]


def test_a_live_run_is_neither_resumed_nor_joined_on_its_ports(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", ports={"litellm": 18_002})
    with pytest.raises(RunError) as caught:
        resume(run)
    assert caught.value.code == "run.alive"
    with pytest.raises(RunError) as caught:
        launch_run(ports={"litellm": 18_002, "ray": 1})
    assert caught.value.code == "run.ports_in_use"
    assert run.name in caught.value.message
    stop(run, "test", kill=True)
    assert ended(launch_run(ports={"litellm": 18_002})).state == "finished"


def test_a_finished_run_is_not_resumed_and_not_stopped(launch_run: Launch) -> None:
    run = launch_run(steps=1)
    ended(run)
    with pytest.raises(RunError, match="made all its steps"):
        resume(run)
    with pytest.raises(RunError, match="nothing to stop"):
        stop(run, "test")


def test_the_supervisor_is_the_leader_of_a_session_of_its_own(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    supervisor = process(run, "supervisor")
    assert os.getsid(supervisor) == supervisor
    assert os.getsid(process(run, "trainer")) == supervisor
    assert os.getsid(supervisor) != os.getsid(0)
    stop(run, "test", kill=True)


def test_the_key_is_in_no_file_and_no_command_line(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    made_pids(run)
    environ = Path(f"/proc/{process(run, 'trainer')}/environ").read_bytes().split(b"\0")
    (key,) = (entry.partition(b"=")[2] for entry in environ if entry.startswith(b"LIVERL_DOOR_KEY="))
    assert len(key) == 64
    for path in (path for path in run.root.rglob("*") if stat.S_ISREG(path.lstat().st_mode)):
        assert key not in path.read_bytes(), path
    for name in ("guard", "supervisor", "trainer"):
        assert key not in Path(f"/proc/{process(run, name)}/cmdline").read_bytes()
    stop(run, "test", kill=True)


def test_a_taken_name_is_refused_and_a_free_one_is_made_of_model_scaffold_and_day(launch_run: Launch) -> None:
    first, second = launch_run(steps=1), launch_run(steps=1)
    assert first.name[:-1] == second.name[:-1]
    assert (first.name[-1], second.name[-1]) == ("a", "b")
    with pytest.raises(RunError, match="there already"):
        launch_run(name=first.name)


def fill_disk(pid: int, *, full: bool) -> None:
    """Make every write of a process fail, as on a full disk, or let it write again; its children don't notice."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0 if full else hard, hard))


def test_a_full_disk_ends_no_training_and_loses_no_record(launch_run: Launch) -> None:
    run = launch_run(steps=6, pause_s=0.4)
    until(lambda: "step" in kinds(run))
    supervisor = process(run, "supervisor")
    fill_disk(supervisor, full=True)
    post_event(run, "trial_failed", task="x")
    verl = run.attempt_metrics(1)
    until(lambda: len(verl.read_bytes().splitlines()) >= 5)
    assert read_liveness(run).is_live
    assert len(list(run.requests.glob("event-*"))) == 1
    fill_disk(supervisor, full=False)
    assert ended(run).state == "finished"
    assert [row["step"] for row in read_metrics(run)] == [1, 2, 3, 4, 5, 6]
    steps = [event.fields["step"] for event in read_events(run) if event.kind == "step"]
    checkpoints = [event.fields["step"] for event in read_events(run) if event.kind == "checkpoint"]
    assert steps == [1, 2, 3, 4, 5, 6]
    assert checkpoints[-1] == 6
    assert kinds(run).count("trial_failed") == 1
    assert run.latest_log.read_text().count("the run directory can't be written") == 1


def test_an_end_on_a_full_disk_is_recorded_once_there_is_room(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang")
    until(lambda: len(read_metrics(run)) == 2)
    supervisor = process(run, "supervisor")
    fill_disk(supervisor, full=True)
    post_event(run, "step_skipped", step=3)
    os.kill(process(run, "trainer"), signal.SIGKILL)
    later = threading.Timer(2.0, fill_disk, (supervisor,), {"full": False})
    later.start()
    state = ended(run)
    later.join()
    assert state.state == "failed"
    assert "SIGKILL" in state.reason
    assert "File too large" in state.reason
    assert kinds(run)[-1] == "died"
    assert "step_skipped" in kinds(run)


def test_a_door_that_dies_on_a_full_disk_is_started_again_and_ends_no_training(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang", door=(sys.executable, "-c", "import time; time.sleep(600)"))
    until(lambda: len(read_metrics(run)) == 2)
    supervisor, door = process(run, "supervisor"), process(run, "door")
    fill_disk(supervisor, full=True)
    os.kill(door, signal.SIGKILL)
    until(lambda: all_gone([door]))
    new = until(lambda: [item for item in descendants(supervisor) if is_door(item.pid)])
    assert read_liveness(run).is_live
    fill_disk(supervisor, full=False)
    until(lambda: [item for item in read_run(run).last.processes if item.pid == new[0].pid])
    until(lambda: "died" in kinds(run))
    assert read_liveness(run).is_live
    told = [event.fields.get("restarted") for event in read_events(run) if event.kind == "died"]
    assert told == [True]
    stop(run, "test", kill=True)


def is_door(pid: int) -> bool:
    """Whether a process is the door of the test above."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return words[1:3] == [b"-c", b"import time; time.sleep(600)"] and os.getpgid(pid) == pid


def test_of_two_resumes_at_once_one_is_refused_and_one_attempt_is_made(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang")
    until(lambda: len(read_metrics(run)) == 2)
    os.kill(process(run, "trainer"), signal.SIGKILL)
    ended(run)
    together = threading.Barrier(2)

    def try_it() -> str:
        together.wait(LIMIT_S)
        try:
            return str(resume(run).attempt)
        except RunError as error:
            return error.code

    with ThreadPoolExecutor(2) as pool:
        outcomes = [tried.result() for tried in [pool.submit(try_it) for _ in range(2)]]
    assert sorted(outcomes) == ["2", "run.alive"]
    assert [attempt.number for attempt in read_run(run).attempts] == [1, 2]
    assert kinds(run).count("resumed") == 1
    stop(run, "test", kill=True)


def test_a_planned_attempt_is_not_planned_again(launch_run: Launch) -> None:
    run = launch_run(steps=1)
    ended(run)
    plan = read_plan(run, 1)
    with pytest.raises(FileExistsError):
        write_plan(run, replace(plan, steps=7))
    assert read_plan(run, 1) == plan
    assert list(run.root.glob(".attempt_*")) == []


def test_a_supervisor_that_never_reports_is_ended(
    launch_run: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = launch_run(steps=1)
    ended(run)
    monkeypatch.setattr(launch, "_WAIT_S", 1.0)
    pid_file, python = tmp_path / "pid", tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho $$ > {pid_file}\nexec sleep 600\n")
    python.chmod(0o755)
    with pytest.raises(RunError, match="did not start"):
        launch.start_attempt(run, replace(read_plan(run, 1), attempt=2), str(python))
    assert all_gone([int(pid_file.read_text())])
