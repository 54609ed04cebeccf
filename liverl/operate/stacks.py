"""Where the processes of a silent run stand: py-spy's view of each, the innermost frames first."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from liverl.operate.diagnosed import Stack
from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef, read_run
from liverl.run.belongings import processes_of
from liverl.run.programs import ask_program

_EACH_S = 10.0
# All of them: who asks at the MCP server waits meanwhile.
_ALL_S = 25.0
_MOST = 12
_FRAMES = 8
# What waits for work by design says nothing.
_IDLE = ("epoll_wait", "select (selectors", "_wait_for_tstate_lock", "worker (concurrent/futures/thread")


def stacks(run: RunDir) -> tuple[tuple[Stack, ...], str]:
    """The stacks of the run's Python processes on this machine, and why there are none where there are none."""
    py_spy = _program()
    if py_spy is None:
        return (), "py-spy is not installed, so no stacks were taken"
    found, refused = [], ""
    deadline = time.monotonic() + _ALL_S
    for process in _pythons(processes_of(run, read_run(run).attempts))[:_MOST]:
        if time.monotonic() > deadline:
            break
        said = ask_program([py_spy, "dump", "--nonblocking", "--json", "--pid", str(process.pid)], _EACH_S)
        if not said.worked:
            refused = said.last_words
            continue
        if frames := _frames(said.out):
            found.append(Stack(process.name, process.pid, frames))
    if not found and refused:
        return (), f"py-spy could not read a stack: {refused}"
    return tuple(found), ""


def _program() -> str | None:
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def _pythons(processes: list[ProcessRef]) -> list[ProcessRef]:
    return [each for each in processes if _is_python(each.pid)]


def _is_python(pid: int) -> bool:
    try:
        return "python" in Path(f"/proc/{pid}/exe").resolve().name
    except OSError:
        return False


def _frames(text: str) -> tuple[str, ...]:
    """The frames of the thread that does something: one that is active, else the main thread."""
    try:
        threads: list[dict[str, Any]] = json.loads(text)
    except ValueError:
        return ()
    told = [thread for thread in threads if thread.get("frames")]
    told.sort(key=lambda thread: (not thread.get("active"), thread.get("thread_name") != "MainThread"))
    for thread in told:
        frames = [f"{frame['name']} ({_short(frame)}:{frame.get('line', 0)})" for frame in thread["frames"]]
        if not frames[0].startswith(_IDLE):
            return tuple(frames[:_FRAMES])
    return ()


def _short(frame: dict[str, Any]) -> str:
    return str(frame.get("short_filename") or frame.get("filename") or "?")
