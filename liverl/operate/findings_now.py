"""A diagnosis before a status where that is quick: the run has written since the last one, and not much in all."""

from __future__ import annotations

import contextlib

from liverl.errors import LiveRLError
from liverl.operate.remembered import recall
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt

# What is scanned in half a second.
_SMALL_BYTES = 64 << 20


def look_once(run: RunDir) -> None:
    """Diagnose a run unless it has not written since the last time, or its files are large; never fails."""
    with contextlib.suppress(LiveRLError, OSError, ImportError):
        files = [run.attempt_log(newest_attempt(run)), run.metrics_jsonl]
        found = [path.stat() for path in files if path.is_file()]
        last = recall(run)
        is_old = last is None or any(each.st_mtime > last.time_s for each in found)
        if found and is_old and sum(each.st_size for each in found) <= _SMALL_BYTES:
            from liverl.operate.diagnose import Doctor

            Doctor(run).look(with_stacks=False)
