"""The supervisor's parent: when the supervisor was killed, it ends what the supervisor could not.

Children die with the supervisor by PDEATHSIG, but their own children need not: a process that Ray or a
scaffold put into a session of its own would outlive them. As subreaper above it the guard inherits those.
"""

from __future__ import annotations

import contextlib
import os
import signal
from types import FrameType

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run.archives import archive_orphan
from liverl.run.ending import end_descendants
from liverl.run.processes import become_subreaper

_FORWARDED = (signal.SIGINT, signal.SIGTERM)


def split_off(run: RunDir, attempt: int) -> int:
    """Fork: returns the guard's pid in the child, which goes on as supervisor; the guard never returns.

    The guard archives this attempt alone, however many are made while it lives.
    """
    guard = os.getpid()
    become_subreaper()
    supervisor = os.fork()
    if supervisor == 0:
        os.setsid()
        return guard
    _stand(supervisor, run, attempt)
    raise AssertionError("unreachable")


def _stand(supervisor: int, run: RunDir, attempt: int) -> None:
    def forward(number: int, _frame: FrameType | None) -> None:
        try:
            os.kill(supervisor, number)
        except ProcessLookupError:
            return

    for number in _FORWARDED:
        signal.signal(number, forward)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    status = _wait_for(supervisor)
    end_descendants(_reap_all, grace_s=0.0)
    # Nothing where the supervisor has done it; where neither can, the next verb that writes will.
    with contextlib.suppress(RunError, OSError):
        archive_orphan(run, attempt, status)
    os._exit(status if status >= 0 else 128 - status)


def _wait_for(supervisor: int) -> int:
    while True:
        pid, status = os.wait()
        if pid == supervisor:
            return os.waitstatus_to_exitcode(status)


def _reap_all() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return
