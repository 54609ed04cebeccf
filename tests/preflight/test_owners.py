"""A process is told by its command, its user and its start; those above it are found."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from liverl.preflight.owners import ancestry, for_how_long, look_up, user_name


@pytest.fixture
def sleeper() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", "input()", "--token", "hidden"], stdin=subprocess.PIPE)
    yield process.pid
    process.kill()
    process.communicate()


def test_a_process_is_told_with_command_user_and_start(sleeper: int) -> None:
    owner = look_up(sleeper)
    assert owner is not None
    assert abs(time.time() - owner.started_s) < 30
    assert owner.user == user_name(os.geteuid())
    assert "--token ***" in owner.told and "hidden" not in owner.told
    assert f"process {sleeper} (" in owner.told


def test_a_process_that_is_gone_is_nobody() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert look_up(gone.pid) is None
    assert ancestry(gone.pid) == []


def test_the_processes_above_one_are_found(sleeper: int) -> None:
    assert ancestry(sleeper)[:3] == [sleeper, os.getpid(), os.getppid()]


def test_a_user_without_a_name_is_a_number() -> None:
    assert user_name(4_000_000) == "user 4000000"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7500, "2 h 5 min"), (90_000, "1 d 1 h"), (-5, "0 s")],
)
def test_a_time_is_told_in_its_two_largest_units(seconds: float, told: str) -> None:
    assert for_how_long(1000.0, 1000.0 + seconds) == told
