"""The TCP sockets of this machine as /proc tells them: port, user, inode, and which process holds an inode."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from liverl.preflight.owners import user_name

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LISTEN = "0A"


@dataclass(frozen=True)
class Socket:
    """A socket with a local port; its inode is 0 once no process holds it any more."""

    port: int
    listens: bool
    uid: int
    inode: int

    @property
    def user(self) -> str:
        """Whose it is: the one thing that is told of processes that are not seen from here."""
        return user_name(self.uid)


def sockets() -> list[Socket]:
    """Every TCP socket of this network namespace, other users' and containers' included."""
    found: list[Socket] = []
    for table in _TABLES:
        with contextlib.suppress(OSError):
            found += parse_sockets(table.read_text())
    return found


def parse_sockets(table: str) -> list[Socket]:
    """The rows of a /proc/net/tcp table; see proc_net_tcp.rst of the kernel for its columns."""
    rows = (line.split() for line in table.splitlines()[1:])
    return [
        Socket(int(row[1].rpartition(":")[2], 16), row[3] == _LISTEN, int(row[7]), int(row[9]))
        for row in rows
        if len(row) > 9
    ]


def holders(inodes: set[int]) -> dict[int, int]:
    """The process that holds each socket; those of processes that this user can't look into are left out."""
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    found: dict[int, int] = {}
    for pid, target in _open_files() if wanted else ():
        if target in wanted:
            found.setdefault(wanted[target], pid)
            if len(found) == len(wanted):
                break
    return found


def _open_files() -> Iterator[tuple[int, str]]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            for target in _targets(process / "fd"):
                yield int(process.name), target


def _targets(folder: Path) -> list[str]:
    found: list[str] = []
    with contextlib.suppress(OSError):  # another user's, or gone meanwhile
        for each in os.listdir(folder):  # noqa: PTH208  likewise
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"{folder}/{each}"))  # noqa: PTH115  half the time of Path.readlink
    return found
