"""What dead runs left is found and nothing is touched; what a live run has is not taken for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from liverl.preflight import leftovers
from liverl.preflight.context import Context
from liverl.preflight.leftovers import (
    Left,
    carriers,
    check_leftovers,
    judge_leftovers,
    left_processes,
    run_of,
)
from liverl.record.layout import RunDir
from liverl.run.processes import start_ticks
from tests.run.scripted import Launch, ended, launch_run, made_pids

MakeContext = Callable[..., Context]
Carrier = Callable[[Path], int]
__all__ = ["launch_run"]


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("LIVERL_RUN_DIR", raising=False)
    monkeypatch.setattr(leftovers, "TEMPORARY", tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()


@pytest.fixture
def carrier() -> Iterator[Carrier]:
    """Starts a process that carries the name of a run."""
    made: list[subprocess.Popen[bytes]] = []

    def start(run: Path) -> int:
        environment = {**os.environ, "LIVERL_RUN_DIR": str(run)}
        command = [sys.executable, "-c", "print(flush=True); input()"]
        process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        made.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process.pid

    yield start
    for process in made:
        process.kill()
        process.communicate()


def test_a_process_of_a_run_that_ended_is_left_and_stays_untouched(
    launch_run: Launch, carrier: Carrier
) -> None:
    run = launch_run(steps=1, stubborn=False)
    ended(run)
    pid = carrier(run.root)
    left = left_processes(carriers())
    assert [owner.pid for owner in left[run.root]] == [pid]
    (finding,) = judge_leftovers(Left({run.root: left[run.root]}, {}))
    assert (finding.id, finding.severity) == ("leftovers:processes", "warn")
    assert f"process {pid} (" in finding.evidence
    assert finding.cure == f"liverl clean {run.root}"
    assert start_ticks(pid) is not None


def test_the_processes_of_a_live_run_are_no_leftovers(launch_run: Launch) -> None:
    run = launch_run(end="hang")
    made_pids(run)
    assert run.root not in left_processes(carriers())


def test_a_single_trial_that_is_being_tried_is_no_leftover(carrier: Carrier, tmp_path: Path) -> None:
    trial = tmp_path / "runs" / "single" / "t-1121a"
    trial.mkdir(parents=True)
    carrier(trial)
    assert trial in carriers().values()
    assert trial not in left_processes(carriers())


def test_a_dead_runs_folder_in_tmp_can_go_and_a_live_ones_stays(
    launch_run: Launch, make_context: MakeContext, tmp_path: Path
) -> None:
    dead = launch_run(name="dead", steps=1, stubborn=False)
    ended(dead)
    live = launch_run(name="live", end="hang", stubborn=False)
    for run in (dead, live):
        (tmp_path / "tmp" / run.scratch.name).mkdir()
    found = leftovers.folders_of_dead_runs(make_context())
    assert found == {tmp_path / "tmp" / dead.scratch.name: str(dead.root)}


def test_a_folder_whose_run_is_not_known_is_told_with_how_to_remove_it(
    make_context: MakeContext, tmp_path: Path
) -> None:
    folder = tmp_path / "tmp" / "liverl-0123456789"
    folder.mkdir()
    (tmp_path / "tmp" / "liverl-check-x").mkdir()
    findings = [each for each in check_leftovers(make_context()) if each.id == "leftovers:folders"]
    assert [(each.title[:8], each.cure) for each in findings] == [("1 folder", f"rm -r {folder}")]


def test_a_folder_that_a_process_carries_the_name_for_is_in_use(
    make_context: MakeContext, carrier: Carrier, tmp_path: Path
) -> None:
    unknown = RunDir(tmp_path / "elsewhere" / "single")
    unknown.root.mkdir(parents=True)
    unknown.attempt_plan(1).write_text("{}")  # it is being started
    (tmp_path / "tmp" / unknown.scratch.name).mkdir()
    carrier(unknown.root)
    assert leftovers.folders_of_dead_runs(make_context()) == {}


def test_somebody_elses_ray_is_only_mentioned() -> None:
    (finding,) = judge_leftovers(Left({}, {}, [Path("/tmp/ray")]))
    assert (finding.id, finding.severity) == ("leftovers:none", "info")
    assert "/tmp/ray" in finding.evidence


def test_nothing_left_is_nothing_to_do() -> None:
    (finding,) = judge_leftovers(Left({}, {}))
    assert (finding.severity, finding.evidence, finding.cure) == ("info", "", "")


def test_the_run_of_a_process_is_what_it_or_one_above_it_carries(carrier: Carrier, tmp_path: Path) -> None:
    assert run_of(carrier(tmp_path / "a")) == str(tmp_path / "a")
    assert run_of(os.getpid()) == ""
