"""Kills the processes that a dead run left behind."""

from __future__ import annotations

import signal
import time

from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef
from liverl.run.belongings import marked
from liverl.run.processes import send

_LIMIT_S = 10.0


def end_leftovers(run: RunDir) -> list[ProcessRef]:
    """Kill what still carries this run's mark in its environment; returns what lives on all the same.

    Never this process and those that it descends from. Needed only when supervisor and guard were both killed; a live
    run never gets here. What this user may not signal is not waited for.
    """
    refused: set[ProcessRef] = set()
    deadline = time.monotonic() + _LIMIT_S
    while found := marked(run):
        refused |= {process for process in found if not send(process, signal.SIGKILL)}
        if refused.issuperset(found) or time.monotonic() >= deadline:
            break
        time.sleep(0.05)
    return found
