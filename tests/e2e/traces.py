"""What a run leaves in /proc: its processes, what their command lines say, and the key in their environment."""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef, read_run
from liverl.run.processes import descendants, start_ticks

KEY = b"LIVERL_DOOR_KEY="
# A trial's credential: the JSON list of its session, gateway and end, in base64, a dot, and 43 characters of MAC.
TOKEN = re.compile(rb"WyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{43}")


def processes_of(run: RunDir) -> list[ProcessRef]:
    """Every living process of a run: below its guard, or with its folder in environment or command line."""
    return list({process.pid: process for process in [*_marked(run), *_below(run)]}.values())


def files_below(root: Path) -> Iterator[tuple[Path, bytes]]:
    """Every regular file with its content; sockets and links are left out."""
    for path in root.rglob("*"):
        if stat.S_ISREG(path.lstat().st_mode):
            yield path, path.read_bytes()


def is_sandbox(process: ProcessRef) -> bool:
    """Whether it is bubblewrap itself."""
    return process.name == "bwrap"


@dataclass
class Watch:
    """Looks at a run's processes again and again while it is entered; keeps what was ever seen."""

    run_root: Path
    interval_s: float
    commands: set[bytes] = field(default_factory=set)
    keys: set[bytes] = field(default_factory=set)
    processes: dict[tuple[int, int], ProcessRef] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def alive(self) -> list[ProcessRef]:
        """Those ever seen that still live."""
        return [process for process in list(self.processes.values()) if _lives(process)]

    def _look(self) -> None:
        while not self._over.wait(self.interval_s):
            for root in (path for path in self.run_root.glob("*") if path.is_dir()):
                for process in processes_of(RunDir(root)):
                    self.processes[process.pid, process.start_ticks] = process
                    self.commands.add(_bytes(process.pid, "cmdline"))
                    self.keys |= _keys(process.pid)


def _marked(run: RunDir) -> list[ProcessRef]:
    mark = str(run.root).encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        pid = int(entry.name)
        environment = _bytes(pid, "environ").split(b"\0")
        if b"LIVERL_RUN_DIR=" + mark in environment or mark + b"\0" in _bytes(pid, "cmdline"):
            ticks = start_ticks(pid)
            if ticks is not None:
                found.append(ProcessRef(_bytes(pid, "comm").decode(errors="replace").strip(), pid, ticks))
    return found


def _below(run: RunDir) -> list[ProcessRef]:
    try:
        roots = [process for process in read_run(run).last.processes if _lives(process)]
    except RunError:
        return []
    return [*roots, *(below for root in roots for below in descendants(root.pid))]


def _keys(pid: int) -> set[bytes]:
    entries = _bytes(pid, "environ").split(b"\0")
    return {entry.removeprefix(KEY) for entry in entries if entry.startswith(KEY)}


def _lives(process: ProcessRef) -> bool:
    return start_ticks(process.pid) == process.start_ticks


def _bytes(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
