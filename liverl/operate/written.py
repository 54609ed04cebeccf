"""When a run last wrote something."""

from __future__ import annotations

import time

from liverl.operate.standing import LastWrite
from liverl.record.layout import RunDir
from liverl.run.saving import growth, unfinished_step


def last_write(run: RunDir, attempt: int) -> LastWrite | None:
    """The file of an attempt that was written last: a log, a row, an event, a trial; not the heartbeat."""
    files = (
        run.attempt_log(attempt),
        run.component_log(attempt, "litellm"),
        run.attempt_metrics(attempt),
        run.metrics_jsonl,
        run.events_jsonl,
        run.trials_jsonl,
    )
    found = []
    for path in files:
        try:
            found.append((path.stat().st_mtime, path))
        except OSError:
            continue
    if not found:
        return None
    written_s, path = max(found)
    return LastWrite(max(0.0, time.time() - written_s), str(path.relative_to(run.root)))


def checkpoint_age_s(run: RunDir) -> float | None:
    """Seconds since the checkpoint that is not complete yet was last written to; None when there is none."""
    try:
        step = unfinished_step(run.checkpoints)
        if step is None:
            return None
        return max(0.0, time.time() - growth(run.checkpoints / f"global_step_{step}").written_s)
    except (OSError, ValueError):
        return None
