"""Every attempt is archived once, however it ended and whoever was killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from liverl.record.clock import utc_now
from liverl.record.layout import RunDir
from liverl.record.ledger import read_ledger
from liverl.record.metrics import read_metrics
from liverl.record.runfile import Attempt, RunRecord, write_run
from liverl.run.archives import archive_orphan, make_up
from liverl.run.ends import exit_code
from liverl.run.liveness import read_liveness
from liverl.run.processes import boot_id, pid_namespace
from liverl.run.resume import resume
from liverl.run.stop import stop
from tests.run.scripted import Launch, all_gone, ended, made_pids, process, until


@pytest.fixture
def made_run(tmp_path: Path) -> RunDir:
    """A run whose supervisor has written run.json, and is not in it yet."""
    run = RunDir.create(tmp_path / "runs" / "r")
    attempt = Attempt(1, utc_now(), socket.gethostname(), boot_id(), pid_namespace())
    write_run(run, RunRecord("r", attempt.started, 3, {}, (attempt,)))
    run.heartbeat.touch()
    return run


def facts(run: RunDir, archive: str) -> Any:
    return json.loads((run.root.parent / "archives" / archive / "metadata.json").read_text())


def statuses(root: Path) -> list[tuple[int, str, int]]:
    return [(row.attempt, row.status, row.exit_code) for row in read_ledger(root)]


@pytest.mark.fault
def test_a_finished_a_failed_and_a_stopped_attempt_have_a_row_when_their_end_is_seen(
    launch_run: Launch,
) -> None:
    finished = launch_run(steps=2, stubborn=False)
    assert ended(finished).state == "finished"
    root = finished.root.parent
    assert statuses(root) == [(1, "completed", 0)]
    assert ended(launch_run(steps=1, end="raise", stubborn=False)).state == "failed"
    assert statuses(root)[1:] == [(1, "failed", 1)]
    run = launch_run(steps=1, end="hang", stubborn=False)
    made_pids(run, 1)
    stop(run, "test")
    assert statuses(root)[2:] == [(1, "interrupted", 130)]
    assert facts(run, "run_003")["reason"] == "asked to (test)"
    assert facts(finished, "run_001")["steps"] == 2


@pytest.mark.fault
def test_the_guard_archives_for_a_supervisor_that_was_killed(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang", stubborn=False)
    until(lambda: len(read_metrics(run)) == 2)
    guard = process(run, "guard")
    os.kill(process(run, "supervisor"), signal.SIGKILL)
    until(lambda: all_gone([guard]))
    (row,) = read_ledger(run.root.parent)
    assert (row.status, row.exit_code, row.reason) == ("failed", 137, "its supervisor was killed by SIGKILL")
    assert row.steps == 2


@pytest.mark.fault
def test_a_guard_that_is_late_archives_its_own_attempt_and_not_the_one_that_runs(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang", stubborn=False)
    pids = made_pids(run, 1)
    guard = process(run, "guard")
    os.kill(guard, signal.SIGSTOP)
    os.kill(process(run, "supervisor"), signal.SIGKILL)
    until(lambda: read_liveness(run).state == "dead" and all_gone(pids))
    resume(run)
    os.kill(guard, signal.SIGCONT)
    until(lambda: all_gone([guard]))
    assert statuses(run.root.parent) == [(1, "failed", 3)]
    stop(run, "test")
    assert statuses(run.root.parent) == [(1, "failed", 3), (2, "interrupted", 130)]


def test_an_attempt_that_never_was_on_record_is_not_archived(made_run: RunDir) -> None:
    assert archive_orphan(made_run, 2, -9) == ""
    assert read_ledger(made_run.root.parent) == []


def test_an_attempt_whose_supervisor_is_about_to_record_itself_is_left_alone(made_run: RunDir) -> None:
    os.utime(made_run.heartbeat, (0, 0))  # of the attempt before
    assert make_up(made_run.root.parent) == []


@pytest.mark.fault
def test_what_nobody_could_archive_is_made_up_by_the_next_resume_and_never_twice(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang", stubborn=False)
    pids = made_pids(run, 1)
    for name in ("guard", "supervisor"):
        os.kill(process(run, name), signal.SIGKILL)
    until(lambda: read_liveness(run).state == "dead" and all_gone(pids))
    assert read_ledger(run.root.parent) == []
    resume(run)
    assert statuses(run.root.parent) == [(1, "failed", 3)]
    stop(run, "test")
    assert make_up(run.root.parent) == []
    assert statuses(run.root.parent) == [(1, "failed", 3), (2, "interrupted", 130)]


@pytest.mark.fault
def test_a_launch_makes_up_for_the_dead_and_leaves_the_living_alone(launch_run: Launch) -> None:
    alive = launch_run(steps=1, end="hang", stubborn=False)
    ended_run = launch_run(steps=1, stubborn=False)
    ended(ended_run)
    guard = process(ended_run, "guard")
    until(lambda: all_gone([guard]))  # the last that looks into the archives
    root = alive.root.parent
    shutil.rmtree(root / "archives")
    (root / "ledger.jsonl").unlink()
    assert ended(launch_run(steps=1, stubborn=False)).state == "finished"
    assert next(row.run for row in read_ledger(root)) == ended_run.name
    assert alive.name not in {row.run for row in read_ledger(root)}
    stop(alive, "test")


@pytest.mark.parametrize(
    ("state", "reason", "exit_status", "code"),
    [
        ("finished", "", 0, 0),
        ("stopped", "asked to (SIGTERM)", None, 143),
        ("stopped", "asked to (liverl stop)", -15, 130),
        ("failed", "", 1, 1),
        ("failed", "", -9, 137),
        ("failed", "", None, 3),
        ("dead", "", None, 3),
    ],
)
def test_the_exit_code_is_what_a_shell_would_say(
    state: str, reason: str, exit_status: int | None, code: int
) -> None:
    assert exit_code(state, reason, exit_status) == code
