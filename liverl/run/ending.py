"""Ends every descendant of a process: asks once, then kills until none is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

from liverl.record.runfile import ProcessRef
from liverl.run.processes import descendants, send

_POLL_S = 0.05
_GIVE_UP_S = 20.0


def end_descendants(tick: Callable[[], None], grace_s: float) -> list[ProcessRef]:
    """SIGTERM to all, SIGKILL after `grace_s`; `tick` reaps and runs between looks.

    Returns what still lives after 20 more seconds: processes in uninterruptible sleep, or another user's.
    """
    me = os.getpid()
    for process in descendants(me):
        send(process, signal.SIGTERM)
    if wait_until(lambda: not descendants(me), grace_s, tick):
        return []
    return kill_descendants(tick)


def kill_descendants(tick: Callable[[], None]) -> list[ProcessRef]:
    """SIGKILL to all until none is left, for 20 s at most; returns what still lives then."""
    me = os.getpid()
    wait_until(lambda: not _kill_round(me), _GIVE_UP_S, tick)
    return descendants(me)


def wait_until(
    met: Callable[[], bool], limit_s: float, tick: Callable[[], None], poll_s: float = _POLL_S
) -> bool:
    """Whether a condition was met within a limit, ticking meanwhile."""
    deadline = time.monotonic() + limit_s
    while True:
        tick()
        if met():
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(poll_s)


def _kill_round(root: int) -> list[ProcessRef]:
    # A killed parent's children move up to the subreaper, so one look is not enough.
    found = descendants(root)
    for process in found:
        send(process, signal.SIGKILL)
    return found
