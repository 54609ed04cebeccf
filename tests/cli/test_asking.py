"""A person at a terminal is asked; where there is no terminal, only --yes is a yes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tests.e2e.site import REPOSITORY

PROGRAM = """
import argparse, sys
from liverl.cli.asking import confirmed
from liverl.errors import RunError
try:
    print(confirmed("Start this run?", argparse.Namespace(yes="--yes" in sys.argv), "liverl run --yes").by)
except RunError as error:
    print(error.code, error.next_action)
"""


def asked(answer: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What comes of an answer typed at a terminal; None: there is no terminal."""
    ours, theirs = pty.openpty()
    try:
        if answer is not None:
            os.write(ours, answer.encode())
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdin=subprocess.DEVNULL if answer is None else theirs,
            capture_output=True,
            text=True,
            timeout=30,
            cwd=REPOSITORY,
            check=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("answer", ["y\n", "Yes\n", " YES \n"])
def test_a_yes_is_a_yes(answer: str) -> None:
    done = asked(answer)
    assert done.stdout.strip() == "prompt"
    assert done.stderr.startswith("Start this run? [y/N] ")


@pytest.mark.parametrize("answer", ["n\n", "\n", "yeah\n", "\x04"])
def test_all_else_is_a_no(answer: str) -> None:
    assert asked(answer).stdout.startswith("run.declined")


def test_without_a_terminal_nobody_is_asked_and_nothing_is_done() -> None:
    done = asked(None)
    assert done.stdout.startswith("run.not_confirmed liverl --yes")
    assert done.stderr == ""


def test_an_option_says_yes_for_scripts() -> None:
    assert asked(None, "--yes").stdout.strip() == "--yes"
