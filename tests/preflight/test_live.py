"""Live runs are found in every known folder, and one that does not answer hides no other."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.live import look, see
from liverl.record.layout import RunDir
from liverl.run.roots import remember_root
from tests.run.scripted import Launch, launch_run, made_pids, process

MakeContext = Callable[..., Context]
__all__ = ["launch_run"]


@pytest.fixture
def hung_root(tmp_path: Path) -> Path:
    """A folder whose run can't be read to its end: opening its run.json waits for ever, as on a hung mount."""
    run = RunDir.create(tmp_path / "hung" / "silent")
    run.attempt_plan(1).write_text("{}")
    os.mkfifo(run.run_json)
    return run.root.parent


def test_a_live_run_is_told_with_its_supervisor_ports_and_start(
    launch_run: Launch, make_context: MakeContext
) -> None:
    run = launch_run(ports={"litellm": 1234}, end="hang", stubborn=False)
    (seen,) = see(make_context()).runs
    assert (seen.name, seen.pid, seen.ports) == (run.name, process(run, "supervisor"), {"litellm": 1234})
    assert seen.is_here and abs(time.time() - seen.started_s) < 60
    assert (
        seen.called(make_context()),
        seen.called(make_context(experiment={"run_root": Path("/else")})),
    ) == (
        run.name,
        str(run.root),
    )


def test_every_process_below_a_supervisor_is_its_runs(launch_run: Launch, make_context: MakeContext) -> None:
    run = launch_run(end="hang")
    seen = see(make_context())
    assert {found.name for pid in made_pids(run) if (found := seen.owner_of(pid))} == {run.name}
    assert seen.owner_of(os.getpid()) is None


def test_runs_of_folders_that_were_launched_in_are_found_from_elsewhere(
    launch_run: Launch, make_context: MakeContext, tmp_path: Path
) -> None:
    run = launch_run(end="hang", stubborn=False)
    elsewhere = make_context(experiment={"run_root": tmp_path / "elsewhere"})
    assert [found.root for found in see(elsewhere).runs] == [run.root]


def test_a_run_of_another_machine_has_no_process_here(make_context: MakeContext, tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "runs" / "far")
    attempt = {
        "number": 1,
        "started": "2026-01-31T00:00:00.000Z",
        "host": "far-away",
        "boot_id": "another",
        "pid_namespace": "another",
        "state": "running",
        "processes": [{"name": "supervisor", "pid": os.getpid(), "start_ticks": 1}],
    }
    record = {"name": "far", "created": "", "steps": 1, "ports": {"litellm": 8002}, "attempts": [attempt]}
    run.run_json.write_text(json.dumps(record))
    run.heartbeat.touch()
    seen = see(make_context())
    assert [(found.host, found.pid, found.is_here) for found in seen.runs] == [("far-away", 0, False)]
    assert seen.owner_of(os.getpid()) is None


def test_a_folder_that_hangs_is_named_and_hides_no_other(
    launch_run: Launch, make_context: MakeContext, hung_root: Path
) -> None:
    run = launch_run(end="hang", stubborn=False)
    seen = look([hung_root, run.root.parent], limit_s=2.0)
    assert [found.name for found in seen.runs] == [run.name]
    assert seen.silent == (hung_root,)


def test_questions_that_ask_at_once_share_one_look(make_context: MakeContext, hung_root: Path) -> None:
    context = make_context(experiment={"run_root": hung_root})
    answers: list[object] = []
    asking = [threading.Thread(target=lambda: answers.append(see(context))) for _ in range(4)]
    began = time.monotonic()
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert len({id(answer) for answer in answers}) == 1
    assert time.monotonic() - began < 10


def test_no_folder_is_no_run(
    make_context: MakeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    remember_root(tmp_path / "gone")
    seen = see(make_context())
    assert (seen.runs, seen.silent) == ((), ())
