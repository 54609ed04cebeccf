"""How many more processes may be started: by the user's limit, by the cgroups around this one, by the kernel."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_CGROUPS = Path("/sys/fs/cgroup")
_KERNEL = Path("/proc/sys/kernel")


@dataclass(frozen=True)
class Room:
    """A limit of processes and threads, and how many of them there are."""

    name: str
    limit: int
    used: int
    cure: str

    @property
    def free(self) -> int:
        """How many more there may be."""
        return max(0, self.limit - self.used)

    @property
    def told(self) -> str:
        """The room in words."""
        return f"{self.used} of {self.limit} processes ({self.name})"


def process_rooms() -> Iterator[Room]:
    """Every limit that bounds the processes of a run started here."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() != 0 and soft != resource.RLIM_INFINITY:  # the kernel does not hold root to it
        yield Room("ulimit -u", soft, threads_of(os.getuid()), "Raise nproc in /etc/security/limits.conf")
    own = Path("/proc/self/cgroup").read_text(encoding="utf-8", errors="replace")
    for folder in pids_cgroups(own, _CGROUPS):
        limit, used = _number(folder / "pids.max"), _number(folder / "pids.current")
        if limit is not None and used is not None:
            yield Room(
                f"pids.max of {folder}",
                limit,
                used,
                "docker run --pids-limit=-1, or raise that file's number",
            )
    for name in ("pid_max", "threads-max"):
        limit = _number(_KERNEL / name)
        if limit is not None:
            yield Room(f"kernel.{name}", limit, all_threads(), f"sudo sysctl -w kernel.{name}={2 * limit}")


def pids_cgroups(own: str, mounted: Path) -> Iterator[Path]:
    """The folders of the pids controller that bound a process, by its /proc/PID/cgroup, in both versions."""
    for line in own.splitlines():
        number, controllers, path = line.split(":", 2)
        if "pids" in controllers.split(","):
            base = mounted / "pids"
        elif number == "0" and not controllers and (mounted / "cgroup.controllers").exists():
            base = mounted
        else:
            continue
        inside = PurePosixPath(path.lstrip("/"))
        yield from (base / each for each in (inside, *inside.parents))


def threads_of(uid: int) -> int:
    """The threads of a user, as far as they are seen from here."""
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found += len(os.listdir(entry / "task")) if entry.stat().st_uid == uid else 0  # noqa: PTH208
            except OSError:
                continue
    return found


def all_threads() -> int:
    """The threads of the whole system, as /proc/loadavg counts them."""
    fourth = Path("/proc/loadavg").read_text(encoding="ascii").split()[3]
    return int(fourth.partition("/")[2])


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # "max", or no such file
        return None
