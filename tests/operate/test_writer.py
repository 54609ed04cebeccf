"""A log that a process still writes is not called cut; one that it has stopped writing is called stalled."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from liverl.operate.diagnose import diagnose_file
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.writer import writer_of
from tests.troubleshooting.case import _case


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A healthy run of 20 steps that has told 14."""
    path = tmp_path / "train.log"
    before, at, _ = _case("log", {}).text.partition("step:15 - ")
    assert at
    path.write_text(before.rpartition("\n")[0] + "\n")
    return path


@pytest.fixture
def writing(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program whose output the log is."""
    with log.open("ab") as stream:
        program = subprocess.Popen(["sleep", "600"], stdout=stream)
    yield program
    program.kill()
    program.wait()


def shown(found: Diagnosed) -> list[str]:
    return [each.id for each in found.diagnosis.findings if each.is_alarm]


def test_a_log_that_is_still_written_was_not_cut(log: Path, writing: subprocess.Popen[bytes]) -> None:
    found = diagnose_file(log)
    assert shown(found) == [] and found.note == f"sleep (pid {writing.pid}) still writes it"


def test_the_same_log_without_a_writer_was_cut(log: Path) -> None:
    assert shown(diagnose_file(log)) == ["run:cut"]


def test_one_that_its_program_has_not_written_for_long_is_stalled(
    log: Path, writing: subprocess.Popen[bytes]
) -> None:
    hours_ago = time.time() - 7200
    os.utime(log, (hours_ago, hours_ago))
    found = diagnose_file(log)
    assert shown(found)[0] == "run:stalled" and str(writing.pid) in found.note


def test_who_only_reads_a_log_is_no_writer(log: Path) -> None:
    with log.open("rb") as stream:
        reader = subprocess.Popen(["sleep", "600"], stdin=stream)
    try:
        assert writer_of(log) is None
    finally:
        reader.kill()
        reader.wait()
