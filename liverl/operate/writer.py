"""Whether a file that somebody names is still being written: a log that merely ends is then no run that was cut.

still_written   the facts of a file that a process holds open for writing
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from liverl.diagnose.language import Fact

# The kernel's access modes of an open file (open(2)).
_WRITES = os.O_WRONLY | os.O_RDWR
# As long as troubleshooting/run/stalled.md lets a run be silent.
SILENT_S, SILENT_STEPS = 1800.0, 5


@dataclass(frozen=True)
class Writer:
    """A process that holds a file open for writing."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"


def writer_of(path: Path) -> Writer | None:
    """The process, other than this one, that may still write a file; None where this user can't see one."""
    wanted = str(path.resolve())
    for pid in _pids():
        for number in _names(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError, ValueError):  # another user's, or gone meanwhile
                target = os.readlink(f"/proc/{pid}/fd/{number}")  # noqa: PTH115  half the time of Path.readlink
                if target == wanted and _flags(pid, number) & _WRITES:
                    return Writer(pid, Path(f"/proc/{pid}/comm").read_text().strip())
    return None


def still_written(writer: Writer, path: Path, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """What a writer says of a log: its program lives, and has been silent so long; it only ends for now.

    One that is silent for longer than a run's rhythm allows is judged as one that has ended, and as silent.
    """
    silence = max(0.0, time.time() - path.stat().st_mtime)
    told: dict[str, Fact] = {"alive": True, "silence_s": silence}
    if silence <= max(SILENT_S, SILENT_STEPS * float(facts.get("step_s", 0.0))):
        told["ended"] = "running"
    return told


def _pids() -> Iterator[int]:
    own = os.getpid()
    return (int(name) for name in _names("/proc") if name.isdigit() and int(name) != own)


def _names(folder: str) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208  likewise
    return []


def _flags(pid: int, number: str) -> int:
    told = Path(f"/proc/{pid}/fdinfo/{number}").read_text()
    return int(next(line for line in told.splitlines() if line.startswith("flags:")).split()[1], 8)
