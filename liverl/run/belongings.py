"""What of a run is there on this machine: its processes, its sandboxes' groups, its ports, its scratch folder.

Only what the run itself has recorded or marked: pids with their start, the run's directory in an environment, the pids
of its workers. Nothing is found by the pattern of a name.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from pathlib import Path

from liverl.record.events import read_events
from liverl.record.layout import RunDir
from liverl.record.runfile import Attempt, ProcessRef
from liverl.run.liveness import is_ours
from liverl.run.processes import ancestors, is_alive, start_ticks

# How liverl.sandbox names the groups of its sandboxes: this, the pid of the worker that made it, a number.
_GROUP = "liverl-sandbox-"
_GROUPS_ROOT = Path("/sys/fs/cgroup")


def recorded(attempts: Iterable[Attempt]) -> list[ProcessRef]:
    """The living processes among those that attempts recorded, each by pid and start, other than this one."""
    known = [item for attempt in attempts if is_ours(attempt) for item in attempt.processes]
    return [item for item in known if item.pid != os.getpid() and is_alive(item)]


def marked(run: RunDir) -> list[ProcessRef]:
    """The living processes that carry this run's directory in their environment, other than this one.

    Nor those that this one descends from: a shell that exported the variable and calls `liverl` is no part of the run.
    """
    mark = f"LIVERL_RUN_DIR={run.root.resolve()}".encode()
    own = {os.getpid(), *ancestors(os.getpid())}
    found = []
    for pid in _pids():
        if pid not in own and mark in _read(f"/proc/{pid}/environ").split(b"\0"):
            ticks = start_ticks(pid)
            if ticks is not None:
                name = _read(f"/proc/{pid}/comm").decode(errors="replace").strip()
                found.append(ProcessRef(name, pid, ticks))
    return found


def processes_of(run: RunDir, attempts: Iterable[Attempt]) -> list[ProcessRef]:
    """Every living process of a run, each once."""
    return list({item.pid: item for item in [*marked(run), *recorded(attempts)]}.values())


def workers_of(run: RunDir) -> list[int]:
    """The pids that the run's agent-loop workers had, by its events; others may have them now."""
    pids = (event.fields.get("worker") for event in read_events(run) if event.kind == "boot")
    return sorted({pid for pid in pids if type(pid) is int and pid > 0})


def groups_of(pids: Iterable[int], root: Path = _GROUPS_ROOT) -> list[Path]:
    """The sandbox groups that processes with these pids made."""
    prefixes = tuple(f"{_GROUP}{pid}-" for pid in pids)
    if not prefixes:
        return []
    return sorted(
        Path(folder) / name
        for folder, names, _ in os.walk(root)
        for name in names
        if name.startswith(prefixes)
    )


def has_processes(group: Path) -> bool:
    """Whether a process lives in a group."""
    return bool(_read(str(group / "cgroup.procs")).strip())


def is_group_of_the_dead(group: Path) -> bool:
    """Whether the process that made a group is gone; its pid may be another's now, which is then left alone."""
    maker = group.name.removeprefix(_GROUP).partition("-")[0]
    return maker.isdecimal() and start_ticks(int(maker)) is None


def taken_ports(ports: Iterable[int]) -> list[int]:
    """The ports that somebody listens on."""
    return [port for port in ports if not _can_listen(port)]


def _can_listen(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("0.0.0.0", port))
            trial.listen(1)
        except (OSError, OverflowError):
            return False
    return True


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
