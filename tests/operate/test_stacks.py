"""Where the processes of a silent run stand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from liverl.operate.stacks import stacks
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
