"""What /proc says of a process, of its descendants and of this host."""

from __future__ import annotations

import ctypes
import os
import signal
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from liverl.record.runfile import ProcessRef

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LIBC = "libc.so.6"


def start_ticks(pid: int) -> int | None:
    """Clock ticks from boot to the process's start; None when it is gone, or a zombie."""
    fields = _stat(pid)
    return None if fields is None or fields[0] in ("Z", "X") else int(fields[19])


def reference(name: str, pid: int) -> ProcessRef:
    """A process that runs now, under a name; its ticks are 0 when it is gone already."""
    return ProcessRef(name, pid, start_ticks(pid) or 0)


def is_alive(process: ProcessRef) -> bool:
    """Whether it still runs: the same pid with the same start."""
    return start_ticks(process.pid) == process.start_ticks


def descendants(root: int) -> list[ProcessRef]:
    """Every living process below one; of a subreaper that is all that it ever started."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))) is not None:
            children[int(fields[1])].append(int(entry.name))
    found, queue = [], list(children[root])
    while queue:
        pid = queue.pop()
        queue.extend(children[pid])
        if (ticks := start_ticks(pid)) is not None:
            found.append(ProcessRef(_command(pid), pid, ticks))
    return found


def ancestors(pid: int) -> list[int]:
    """The pids of a process's parent, that one's parent and so on, as far up as this namespace goes."""
    found: list[int] = []
    while (fields := _stat(pid)) is not None and (pid := int(fields[1])) > 0 and pid not in found:
        found.append(pid)
    return found


def send(process: ProcessRef, number: signal.Signals) -> bool:
    """Signal a process, unless it is gone or its pid is another's now.

    False where it lives and this user may not signal it; whoever needs its end looks whether it has ended.
    """
    if is_alive(process):
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
    return True


def send_group(leader: ProcessRef, number: signal.Signals) -> bool:
    """Signal a process and its group, where it leads one; nobody where it is gone or its pid is another's now.

    False where this user may signal none of them.
    """
    if not is_alive(leader):
        return True
    try:
        if os.getpgid(leader.pid) == leader.pid:
            os.killpg(leader.pid, number)
        else:
            os.kill(leader.pid, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def is_deaf_init(process: ProcessRef) -> bool:
    """Whether it is the first process of a pid namespace of its own and handles no SIGTERM.

    The kernel drops every signal for such a one that it has no handler for, but SIGKILL (pid_namespaces(7)). A sandbox
    whose maker ended before it could ask to be killed with it is left as one.
    """
    said = dict(line.partition(":")[::2] for line in _text(f"/proc/{process.pid}/status").splitlines())
    pids = said.get("NSpid", "").split()
    caught = int(said.get("SigCgt", "0").strip() or "0", 16)
    return len(pids) > 1 and pids[-1] == "1" and not caught >> (signal.SIGTERM - 1) & 1 and is_alive(process)


def become_subreaper() -> None:
    """From now on orphaned descendants become children of this process, not of init."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def dying_with(parent: int) -> Callable[[], None]:
    """What a child runs between fork and exec so that the kernel kills it when its parent dies."""
    libc = ctypes.CDLL(_LIBC, use_errno=True)

    def arm() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    return arm


def boot_id() -> str:
    """The kernel's id of this boot; the same pid in another boot is another process."""
    return _text("/proc/sys/kernel/random/boot_id").strip()


def pid_namespace() -> str:
    """The namespace this process's pids belong to; in another container the same pid is another process."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def out_of_memory_kills() -> int:
    """How many processes this kernel has killed for memory since boot."""
    for line in _text("/proc/vmstat").splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(_LIBC, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _stat(pid: int) -> list[str] | None:
    # The command's name may hold spaces and parentheses, so the fields start behind the last one.
    text = _text(f"/proc/{pid}/stat")
    return text[text.rindex(")") + 2 :].split() if ")" in text else None


def _command(pid: int) -> str:
    return _text(f"/proc/{pid}/comm").strip()


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
