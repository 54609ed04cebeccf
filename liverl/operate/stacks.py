"""Where the processes of a silent run stand: what the kernel says of each, and py-spy, innermost frames first."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from liverl.operate.diagnosed import Stack
from liverl.operate.frames import standing
from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef, read_run
from liverl.run.belongings import processes_of
from liverl.run.programs import ask_program

_EACH_S = 10.0
# All of them: who asks at the MCP server waits meanwhile.
_ALL_S = 25.0
_MOST = 24
# Ray's own programs, its workers that nobody uses, verl's stores: where those stand says nothing of a run.
_DAEMONS = (
    "ray::DashboardAgent",
    "ray::RuntimeEnvAgent",
    "ray::IDLE",
    "ray::TransferQueueController",
    "ray::SimpleStorageUnit",
)
_DAEMON_FILES = (
    "/ray/dashboard/",
    "/ray/autoscaler/",
    "/ray/_private/log_monitor.py",
    "/ray/_private/runtime_env/",
)
# Who waits for others is told after them.
_WAITS_FOR_OTHERS = (
    "Worker.get_objects (ray/",
    "get_objects (ray/",
    "wait (ray/",
    "Popen._try_wait",
    "Popen.wait",
)
# What the kernel says of a process that can't go on (proc(5)), and what that means.
_HELD = {
    "T": "is suspended by a signal: `kill -CONT {pid}` lets it go on",
    "t": "is held by a debugger",
    "D": "waits in the kernel for a disk, a network file system or a device (state D)",
    "Z": "has ended, and its parent has not noticed (a zombie)",
}
_COROUTINE = "waits in its event loop: py-spy can't see where a coroutine stands"


def stacks(run: RunDir) -> tuple[tuple[Stack, ...], str]:
    """The stacks of the run's Python processes on this machine, and why there are none where there are none.

    Processes that stand at the same place are one stack; one that stands elsewhere than its like comes before them,
    and first of all any process of the run that the kernel holds.
    """
    processes = processes_of(run, read_run(run).attempts)
    held = {pid: Stack(name, pid, (why,)) for name, pid in _named(processes) if (why := _held(pid))}
    py_spy = _program()
    if py_spy is None:
        return grouped(tuple(held.values())), "py-spy is not installed, so no stacks were taken"
    found, refused = [], ""
    deadline = time.monotonic() + _ALL_S
    for name, pid in _pythons(processes)[:_MOST]:
        if time.monotonic() > deadline:
            break
        said = ask_program([py_spy, "dump", "--nonblocking", "--json", "--pid", str(pid)], _EACH_S)
        if not said.worked:
            refused = said.last_words
            continue
        if frames := _frames(said.out, name):
            before = held.pop(pid).frames if pid in held else ()
            found.append(Stack(name, pid, (*before, *frames)))
    found += held.values()
    if not found and refused:
        return (), f"py-spy could not read a stack: {refused}"
    return grouped(found), ""


def grouped(found: Sequence[Stack]) -> tuple[Stack, ...]:
    """Those that stand at the same place as one; the rarest place first, who waits for others last."""
    by_place: dict[tuple[str, tuple[str, ...]], list[Stack]] = defaultdict(list)
    for each in found:
        by_place[each.process, each.frames].append(each)
    groups = sorted(
        by_place.values(), key=lambda group: (not _is_held(group[0]), _waits(group[0]), len(group))
    )
    return tuple(
        Stack(f"{group[0].process}, {len(group)} processes", group[0].pid, group[0].frames)
        if len(group) > 1
        else group[0]
        for group in groups
    )


def _held(pid: int) -> str:
    """What the kernel holds a process for; "" of one that may run."""
    try:
        state = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][:1]
        )
    except OSError:
        return ""
    return _HELD.get(state, "").format(pid=pid)


def _is_held(stack: Stack) -> bool:
    return stack.frames[0] in {each.format(pid=stack.pid) for each in _HELD.values()}


def _waits(stack: Stack) -> bool:
    return stack.frames[0].startswith(_WAITS_FOR_OTHERS)


def _program() -> str | None:
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def _named(processes: Sequence[ProcessRef]) -> list[tuple[str, int]]:
    return [
        (_name(each.name, words) if (words := _command(each.pid)) else each.name, each.pid)
        for each in processes
    ]


def _pythons(processes: Sequence[ProcessRef]) -> list[tuple[str, int]]:
    """The Python processes with their names, those that are in a call of a Ray actor first."""
    named = []
    for each in processes:
        words = _command(each.pid)
        if words and _is_python(each.pid) and not _is_daemon(words):
            named.append((_name(each.name, words), each.pid))
    return sorted(named, key=lambda item: not _is_call(item[0]))


def _is_python(pid: int) -> bool:
    try:
        return "python" in Path(f"/proc/{pid}/exe").resolve().name
    except OSError:
        return False


def _command(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return []
    # Ray writes the call that an actor is in over its command.
    return [text.strip("\0 ")] if text.startswith("ray::") else text.strip("\0").split("\0")


def _is_daemon(words: Sequence[str]) -> bool:
    return words[0].startswith(_DAEMONS) or any(part in word for word in words[:5] for part in _DAEMON_FILES)


def _name(known: str, words: Sequence[str]) -> str:
    """What Ray calls it, else what the run recorded, else the program: a process's own name is cut at 15 characters."""
    if words[0].startswith("ray::"):
        return words[0]
    if not known.startswith("python") or "-c" in words[1:4]:
        return known
    given = [word for word in words[1:] if not word.startswith("-") or word == "-m"]
    return Path(" ".join(given[1:2]) if given[:1] == ["-m"] else given[0]).name if given else known


def _is_call(name: str) -> bool:
    return name.startswith("ray::") and "." in name


def _frames(text: str, name: str) -> tuple[str, ...]:
    try:
        frames = standing(json.loads(text))
    except ValueError:
        return ()
    return frames or ((_COROUTINE,) if _is_call(name) else ())
