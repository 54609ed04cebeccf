"""What bounds a sandbox's memory and processes: delegated cgroups, the system's own, or rlimits.

detect        which of them this process may use, asked once
Group         the bounds of one sandbox: made, joined by its commands, removed
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

_PREFIX = "liverl-sandbox"
_REMOVE_TRIES = 200


class LimitKind(StrEnum):
    """Who enforces the limits; the last holds for each process alone, not for their sum."""

    DELEGATED_CGROUP = "delegated-cgroup"
    ROOT_CGROUP = "root-cgroup"
    RLIMIT = "rlimit"


@dataclass(frozen=True)
class Home:
    """Where groups are made: `parents` maps "memory" and "pids" to a folder (the same one in cgroup v2)."""

    kind: LimitKind
    version: int = 0
    parents: Mapping[str, Path] = field(default_factory=dict)


@functools.cache
def detect() -> Home:
    """The strongest limits that this process may set; sweeps up what dead processes left in them."""
    home = _find_v2() or _find_v1() or Home(LimitKind.RLIMIT)
    for parent in set(home.parents.values()):
        _sweep(parent)
    return home


@dataclass(frozen=True)
class Group:
    """The limits of one sandbox."""

    home: Home
    memory_bytes: int
    processes: int
    folders: Mapping[str, Path]

    @classmethod
    def create(cls, name: str, memory_bytes: int, processes: int) -> Group:
        """Make the group; `name` is unique in this process. Raises `OSError` when the kernel refuses."""
        home = detect()
        folders = {part: home.parents[part] / f"{_PREFIX}-{os.getpid()}-{name}" for part in home.parents}
        group = cls(home, memory_bytes, processes, folders)
        try:
            for folder in set(folders.values()):
                folder.mkdir()
            if folders:
                group.set_memory(memory_bytes)
                (folders["pids"] / "pids.max").write_text(str(processes))
        except OSError:
            for folder in set(folders.values()):
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise
        return group

    def set_memory(self, size_bytes: int) -> None:
        """Bound the memory of all the group's processes and files together; swap is not a way around."""
        folder = self.folders.get("memory")
        if folder is None:
            return
        if self.home.version == 2:
            (folder / "memory.max").write_text(str(size_bytes))
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
            return
        with_swap = folder / "memory.memsw.limit_in_bytes"
        limits = [folder / "memory.limit_in_bytes", *([with_swap] if with_swap.exists() else [])]
        # The limit with swap may never be under the one without: the order depends on the direction.
        growing = size_bytes > int(limits[0].read_text())
        for limit in reversed(limits) if growing else limits:
            limit.write_text(str(size_bytes))

    @property
    def join_files(self) -> list[Path]:
        """Files that a process writes its pid into to come under the limits."""
        return [folder / "cgroup.procs" for folder in dict.fromkeys(self.folders.values())]

    def shell_limits(self) -> str:
        """Shell builtins that bound what a command and its children may do, for the command's own shell."""
        if self.home.kind is not LimitKind.RLIMIT:
            return ""
        # Data rather than address space: runtimes reserve far more addresses than they use.
        return f"ulimit -c 0 -d {self.memory_bytes // 1024} -u {self.processes}; "

    async def remove(self) -> None:
        """Remove the group once its processes are gone; those that just died need a moment."""
        for folder in set(self.folders.values()):
            for _ in range(_REMOVE_TRIES):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    await asyncio.sleep(0.01)


def _own_groups() -> dict[str, str]:
    """Controller → this process's group; the key "" is cgroup v2."""
    groups = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def _find_v2() -> Home | None:
    """The nearest group upwards that is ours and hands memory and pids on to its children."""
    root = Path("/sys/fs/cgroup")
    if not (root / "cgroup.controllers").exists():
        return None
    folder = root / _own_groups().get("", "/").lstrip("/")
    kind = LimitKind.ROOT_CGROUP if os.geteuid() == 0 else LimitKind.DELEGATED_CGROUP
    while folder.is_relative_to(root):
        if os.access(folder / "cgroup.procs", os.W_OK) and os.access(folder, os.W_OK) and _hands_on(folder):
            return Home(kind, 2, {"memory": folder, "pids": folder})
        folder = folder.parent
    return None


def _hands_on(folder: Path) -> bool:
    wanted = {"memory", "pids"}
    switch = folder / "cgroup.subtree_control"
    try:
        if wanted <= set(switch.read_text().split()):
            return True
        switch.write_text("+memory +pids")
    except OSError:
        return False
    return True


def _find_v1() -> Home | None:
    groups = _own_groups()
    parents = {}
    for controller in ("memory", "pids"):
        root = Path("/sys/fs/cgroup") / controller
        folder = root / groups.get(controller, "/").lstrip("/")
        if not folder.exists():
            # A container sees its own group as the root, under the name that the host gives it.
            folder = root
        if not os.access(folder / "cgroup.procs", os.W_OK) or not os.access(folder, os.W_OK):
            return None
        parents[controller] = folder
    kind = LimitKind.ROOT_CGROUP if os.geteuid() == 0 else LimitKind.DELEGATED_CGROUP
    return Home(kind, 1, parents)


def _sweep(parent: Path) -> None:
    """Remove the empty groups of processes that are no more: a killed process can't remove its own."""
    for folder in parent.glob(f"{_PREFIX}-*"):
        owner = folder.name.removeprefix(f"{_PREFIX}-").split("-")[0]
        if not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
