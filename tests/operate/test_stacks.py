"""Where the processes of a silent run stand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liverl.operate.diagnosed import Stack
from liverl.operate.stacks import _is_daemon, _name, grouped, stacks
from liverl.record.runfile import ProcessRef
from tests.operate.made import Made

SLEEPER = "import time\ndef waits_for_weights():\n    print('up', flush=True)\n    time.sleep(60)\nwaits_for_weights()"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[str]]:
    """A Python process that stands in a function."""
    process = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "up\n"
    yield process
    process.kill()
    process.communicate()


def test_a_process_is_told_with_its_innermost_frames(
    made: Made, sleeper: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_run = [ProcessRef("trainer", sleeper.pid, 0), ProcessRef("gone", 1 << 22, 0)]
    monkeypatch.setattr("liverl.operate.stacks.processes_of", lambda *_: of_the_run)
    taken, why_not = stacks(made("r"))
    if not taken:
        assert "py-spy could not read a stack" in why_not  # a machine that forbids it
        return
    assert [each.process for each in taken] == ["trainer"] and "waits_for_weights" in taken[0].frames[0]


def test_a_process_that_is_suspended_is_told_first_and_how_it_goes_on(
    made: Made, sleeper: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.DEVNULL)
    try:
        sleeper.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
        of_the_run = [ProcessRef("replica", other.pid, 0), ProcessRef("trainer", sleeper.pid, 0)]
        monkeypatch.setattr("liverl.operate.stacks.processes_of", lambda *_: of_the_run)
        taken, _ = stacks(made("r"))
    finally:
        other.kill()
        other.wait()
    assert (taken[0].process, taken[0].pid) == ("trainer", sleeper.pid)
    assert taken[0].frames[0] == f"is suspended by a signal: `kill -CONT {sleeper.pid}` lets it go on"


RANKS = """
import socket, sys, time
def barrier(connection):
    connection.recv(1)
def train_step(rank, connection):
    print('up', flush=True)
    if rank == 2:
        time.sleep(60)
    barrier(connection)
ours, theirs = socket.socketpair()
train_step(int(sys.argv[1]), ours)
"""


@pytest.fixture
def ranks(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Three processes of which the last one never comes to the barrier."""
    script = tmp_path / "rank.py"
    script.write_text(RANKS)
    started = [
        subprocess.Popen([sys.executable, str(script), str(rank)], stdout=subprocess.PIPE, text=True)
        for rank in range(3)
    ]
    for process in started:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_the_one_that_stands_elsewhere_is_told_before_those_that_wait_for_it(
    made: Made, ranks: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_run = [ProcessRef("python3", process.pid, 0) for process in ranks]
    monkeypatch.setattr("liverl.operate.stacks.processes_of", lambda *_: of_the_run)
    taken, why_not = stacks(made("r"))
    if not taken:
        assert "py-spy could not read a stack" in why_not  # a machine that forbids it
        return
    assert [(each.process, each.pid) for each in taken] == [
        ("rank.py", ranks[2].pid),
        ("rank.py, 2 processes", ranks[0].pid),
    ]
    assert taken[0].frames[0].startswith("train_step") and taken[1].frames[0].startswith("barrier")


def test_who_waits_for_others_is_told_last() -> None:
    driver = Stack("main.py", 1, ("Worker.get_objects (ray/_private/worker.py:1007)", "fit (main.py:3)"))
    rank = Stack("ray::Rank.step", 2, ("barrier (torch/distributed/distributed_c10d.py:1)",))
    assert [each.process for each in grouped([driver, rank, rank])] == [
        "ray::Rank.step, 2 processes",
        "main.py",
    ]


@pytest.mark.parametrize(
    ("known", "command", "name"),
    [
        ("ray::Rollout.ge", ["ray::Rollout.generate"], "ray::Rollout.generate"),
        ("trainer", ["/venv/bin/python", "-m", "liverl.engine.boot"], "trainer"),
        ("python3", ["/venv/bin/python", "-u", "/srv/rl/hang.py", "0"], "hang.py"),
        ("python", ["/venv/bin/python", "-m", "verl.trainer.main_ppo", "a=1"], "verl.trainer.main_ppo"),
        ("python", ["/venv/bin/python", "-c", "import time"], "python"),
    ],
)
def test_a_process_is_named_by_the_call_it_is_in_or_by_its_program(
    known: str, command: list[str], name: str
) -> None:
    assert _name(known, command) == name


def test_rays_own_programs_are_left_out() -> None:
    python = "/venv/bin/python"
    for words in (
        ["ray::IDLE"],
        ["ray::DashboardAgent"],
        [
            python,
            "-u",
            "/venv/lib/python3.12/site-packages/ray/autoscaler/_private/monitor.py",
            "--logs-dir=x",
        ],
        [python, "/venv/lib/python3.12/site-packages/ray/dashboard/dashboard.py"],
    ):
        assert _is_daemon(words)
    assert not _is_daemon(["ray::Rollout.generate"]) and not _is_daemon(
        [python, "-m", "verl.trainer.main_ppo"]
    )


def test_stacks_take_no_longer_than_somebody_waits(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("liverl.operate.stacks.processes_of", lambda *_: [ProcessRef("p", 1, 0)] * 12)
    monkeypatch.setattr("liverl.operate.stacks._is_python", lambda pid: True)
    monkeypatch.setattr("liverl.operate.stacks._ALL_S", -1.0)
    monkeypatch.setattr("liverl.operate.stacks.ask_program", lambda *given: asked.append(given))
    assert stacks(made("r"))[0] == () and asked == []


def test_without_py_spy_that_is_said(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liverl.operate.stacks._program", lambda: None)
    assert stacks(made("r")) == ((), "py-spy is not installed, so no stacks were taken")
