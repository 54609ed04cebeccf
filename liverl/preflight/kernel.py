"""Has the kernel what the supervisor and the sandboxes are built on?"""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Mapping
from pathlib import Path

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

_PR_GET_CHILD_SUBREAPER = 37


def check_kernel(context: Context) -> list[Finding]:
    """Fatal for what the kernel refuses; each is tried on this very process, which it changes nothing of."""
    return judge_kernel({need: _works(tried) for need, tried in TRIED.items()}, platform.platform())


def judge_kernel(refused: Mapping[str, str], system: str) -> list[Finding]:
    """The finding for what was tried, each with why it was refused ("": it works), on a system of that name."""
    lacking = {need: why for need, why in refused.items() if why}
    if not lacking:
        return [
            Finding("kernel:able", "info", "The kernel has all that runs and sandboxes are built on", system)
        ]
    told = "; ".join(f"{need}: {why}" for need, why in lacking.items())
    cure = "Use Linux 5.4 or newer; in a container, one whose system calls are not filtered (docker run --privileged)"
    return [Finding("kernel:lacks", "fatal", "The kernel lacks what a run needs", f"{told} ({system})", cure)]


def _pidfd() -> None:
    os.close(os.pidfd_open(os.getpid()))


def _memfd() -> None:
    os.close(os.memfd_create("tried"))


def _subreaper() -> None:
    libc = ctypes.CDLL("libc.so.6", use_errno=True)
    answer = ctypes.c_int()
    if libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _proc() -> None:
    for name in ("self/stat", "self/environ", "sys/kernel/random/boot_id"):
        Path("/proc", name).read_bytes()


# What each is for: ending sandboxes, their files, ending every process of a run, telling a dead run from a live one.
TRIED: Mapping[str, Callable[[], None]] = {
    "pidfd_open": _pidfd,
    "memfd_create": _memfd,
    "child subreaper": _subreaper,
    "/proc": _proc,
}


def _works(tried: Callable[[], None]) -> str:
    try:
        tried()
    except (OSError, AttributeError) as error:  # Python has no such call where the C library had none
        return str(error) or type(error).__name__
    return ""
