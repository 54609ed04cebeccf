"""Asks a person at the terminal; where there is none, only `--yes` is a yes."""

from __future__ import annotations

import argparse
import shlex
import sys

from liverl.errors import RunError
from liverl.operate.launch import Yes


def confirmed(question: str, given: argparse.Namespace, instead: str) -> Yes:
    """The person's yes; raises `RunError` where they decline (`instead` says what then), or nobody can be asked."""
    if given.yes:
        return Yes("--yes")
    if not (sys.stdin and sys.stdin.isatty()):
        raise RunError(
            "run.not_confirmed",
            "Nothing was done: a person has to confirm, and standard input is no terminal.",
            next_action=f"{_same_command()} --yes   where a person has decided",
        )
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return Yes("prompt")
    raise RunError("run.declined", "Nothing was done: declined.", next_action=instead)


def _same_command() -> str:
    return " ".join(["liverl", *(shlex.quote(word) for word in sys.argv[1:])])
