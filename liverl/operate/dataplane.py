"""Starts a process of the data plane and relays what it prints, line by line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from liverl.run.environment import FIXED, package_environment
from liverl.run.processes import dying_with

_END_S = 15.0
_KEPT_LINES = 40

Relay = Callable[[str], None]


@dataclass(frozen=True)
class Ended:
    """How the process ended, with its last lines."""

    exit_status: int
    lines: tuple[str, ...]


def relay(
    module: str,
    arguments: Sequence[str],
    on_line: Relay,
    *,
    python: str = sys.executable,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Ended:
    """Run `python -m MODULE ARGUMENTS` to its end; an interrupt ends it first and is then raised."""
    process = subprocess.Popen(
        [python, "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=cwd,
        env={**package_environment(), **FIXED, **(env or {})},
        preexec_fn=dying_with(os.getpid()),
    )
    lines: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines = [*lines[1 - _KEPT_LINES :], line.rstrip("\n")]
            on_line(line.rstrip("\n"))
        return Ended(process.wait(), tuple(lines))
    except KeyboardInterrupt:
        _end(process)
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()


def _end(process: subprocess.Popen[str]) -> None:
    # A terminal has sent SIGINT to both; somebody's `kill -INT` only to us.
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
