"""A program of others is asked within a limit, and nothing of it is left running."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from liverl.preflight.owners import look_up
from liverl.preflight.programs import ask_program
from tests.preflight.scripted_programs import PutProgram, put_program
from tests.run.scripted import until

__all__ = ["put_program"]


def test_what_a_program_prints_is_told(put_program: PutProgram) -> None:
    put_program("scripted_tool", 'echo "$1"; echo oops >&2; echo worse >&2; exit 3')
    said = ask_program(["scripted_tool", "hello"], 10)
    assert (said.status, said.out, said.last_words, said.worked) == (3, "hello\n", "worse", False)


def test_what_a_program_says_is_told_without_secrets(put_program: PutProgram) -> None:
    put_program("scripted_tool", "echo 'denied: Authorization: Basic dXNlcjpwdw==' >&2; exit 1")
    assert ask_program(["scripted_tool"], 10).last_words == "denied: Authorization: Basic ***"


def test_a_program_that_is_not_there_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="scripted_nothing"):
        ask_program(["scripted_nothing"], 1)


def test_a_program_that_hangs_is_ended_with_all_that_it_started(
    put_program: PutProgram, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    put_program("scripted_tool", f"sleep 600 & echo $! $$ > {pids}; sleep 600")
    began = time.monotonic()
    said = ask_program(["scripted_tool"], 1.0)
    assert said.status is None
    assert time.monotonic() - began < 10
    assert until(lambda: all(look_up(int(pid)) is None for pid in pids.read_text().split()))


def test_a_program_reads_nothing_from_the_terminal(put_program: PutProgram) -> None:
    put_program("scripted_tool", "read line || echo nothing")
    assert ask_program(["scripted_tool"], 10).out == "nothing\n"
