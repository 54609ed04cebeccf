"""Whether a checkpoint is being written right now."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from liverl.run.retention import checkpoint_steps, newest_complete

# A trainer gathers its next shard between two writes; a folder that has not grown for so long is not being written.
QUIET_S = 10.0


@dataclass(frozen=True)
class Growth:
    """What a checkpoint folder holds so far: files, bytes, and when the newest was written (since 1970)."""

    files: int
    size_bytes: int
    written_s: float


def unfinished_step(checkpoints: Path) -> int | None:
    """The newest step that has a folder and is not declared complete; None when there is none."""
    steps = checkpoint_steps(checkpoints)
    complete = newest_complete(checkpoints)
    return steps[-1] if steps and (complete is None or steps[-1] > complete) else None


def growth(folder: Path) -> Growth:
    """What a folder holds now; files that vanish meanwhile do not count."""
    files, size, newest = 0, 0, 0.0
    for path in (folder, *folder.rglob("*")):
        try:
            found = path.stat()
        except OSError:
            continue
        newest = max(newest, found.st_mtime)
        if path.is_file():
            files, size = files + 1, size + found.st_size
    return Growth(files, size, newest)


class Saving:
    """Watches for a checkpoint that is being written."""

    def __init__(self, checkpoints: Path) -> None:
        self._checkpoints = checkpoints
        self._seen: Growth | None = None
        self._changed = 0.0

    def step(self) -> int | None:
        """The step whose checkpoint still grows: it changed within the last ten seconds; None when none does."""
        step = unfinished_step(self._checkpoints)
        if step is None:
            return None
        now = growth(self._checkpoints / f"global_step_{step}")
        if self._seen is None:
            # One look shows no growth, but its clock does; what other clocks say of the future counts as now.
            self._changed = time.monotonic() - max(0.0, time.time() - now.written_s)
        elif now != self._seen:
            self._changed = time.monotonic()
        self._seen = now
        return step if time.monotonic() - self._changed < QUIET_S else None
