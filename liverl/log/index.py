"""Where the lines and the training steps of a growing log are, read once however large it grows."""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from pathlib import Path
from threading import Lock, RLock

from liverl.log.growing import BLOCK_BYTES, Mark, mark, open_log

_STEP = b"step:"
# What verl prints: `step:N - key:value`, at a line's start or behind Ray's prefix.
_STEP_LINE = re.compile(rb"step:(\d{1,12})(?: - |\r?\n)")
_BEFORE_STEP = b"\n\r \t"
# Longer than any prefix that Ray puts before a line.
_PREFIX_BYTES = 4096
# A step's beginning is decided by so many bytes, or by fewer up to the line's end.
_DECIDED_BY = 24
# 100,000 steps take 1.6 MB; beyond ten times that every second one is forgotten, again and again.
_MOST_STEPS = 1 << 20
_MOST_KEPT = 8


class _Kept:
    """The indexes of this process, the least used forgotten first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_path: dict[Path, LogIndex] = {}

    def get(self, path: Path) -> LogIndex:
        with self._lock:
            found = self._by_path.pop(path, None) or LogIndex(path)
            self._by_path[path] = found
            while len(self._by_path) > _MOST_KEPT:
                del self._by_path[next(iter(self._by_path))]
            return found


class LogIndex:
    """Line numbers and steps of one log by byte offset; `update` reads only what is new.

    One offset a mebibyte is kept of the lines, and the first line of every step. A log that was truncated or
    replaced is indexed anew. May be used by several threads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        self._mark: Mark | None = None
        self._size = self._lines = self._searched = 0
        self._forget(None)

    @property
    def size(self) -> int:
        """How many bytes of the log are indexed."""
        return self._size

    @property
    def lines(self) -> int:
        """How many complete lines those have."""
        return self._lines

    @property
    def steps(self) -> int:
        """How many steps were found, as far as they are kept."""
        return len(self._steps)

    @property
    def step_range(self) -> tuple[int, int] | None:
        """The first and the last step that were found."""
        return (self._steps[0], self._steps[-1]) if self._steps else None

    def update(self) -> int:
        """Read what is new; returns how many bytes that were (all of a log that was begun anew)."""
        with self._lock:
            return self._update()

    def offset_of_step(self, step: int) -> int | None:
        """Where the first line of a step begins; where steps were forgotten, that of the nearest one before."""
        with self._lock:
            return self._find(step)

    def line_at(self, offset: int) -> int:
        """The number of the line that a byte is in, counted from 1."""
        with self._lock:
            offset = min(offset, self._size)
            block = offset // BLOCK_BYTES
            start = block * BLOCK_BYTES
            return 1 + self._lines_before[block] + self._bytes(start, offset - start).count(b"\n")

    def _find(self, step: int) -> int | None:
        at = bisect_left(self._steps, step)
        if not self._is_sorted:
            at = self._steps.index(step) if step in self._steps else len(self._steps)
        if at < len(self._steps) and self._steps[at] == step:
            return self._line_start(self._offsets[at])
        return self._line_start(self._offsets[at - 1]) if self._stride > 1 and at > 0 else None

    def _update(self) -> int:
        descriptor = open_log(self.path)
        if descriptor is None:
            self._forget(None)
            return 0
        try:
            now = mark(descriptor)
            if self._mark is None or not self._mark.is_continued_by(now):
                self._forget(now)
            self._mark = now
            before = self._size
            self._read(descriptor, now.size)
            return self._size - before
        except OSError:  # a disk that fails under a reader gives nothing new
            return 0
        finally:
            os.close(descriptor)

    def _line_start(self, offset: int) -> int:
        start = max(0, offset - _PREFIX_BYTES)
        feed = self._bytes(start, offset - start).rfind(b"\n")
        return start + feed + 1 if feed >= 0 or start == 0 else offset

    def _forget(self, now: Mark | None) -> None:
        self._mark = now
        self._size = self._lines = self._searched = 0
        # Line feeds before the n-th mebibyte.
        self._lines_before = array("Q", [0])
        self._steps, self._offsets = array("q"), array("Q")
        self._is_sorted, self._stride, self._skipped = True, 1, 0

    def _read(self, descriptor: int, size: int) -> None:
        while self._size < size:
            start = min(self._searched, self._size)
            want = BLOCK_BYTES - self._size % BLOCK_BYTES + self._size - start
            block = os.pread(descriptor, min(want, size - start), start)
            fresh = len(block) - (self._size - start)
            if fresh <= 0:
                return
            self._lines += block.count(b"\n", self._size - start)
            self._size += fresh
            if self._size % BLOCK_BYTES == 0:
                self._lines_before.append(self._lines)
            self._find_steps(block, start)

    def _find_steps(self, block: bytes, start: int) -> None:
        """Record the steps that begin in a block; what its end leaves open is searched with the next."""
        found = block.find(_STEP, 0 if start == 0 else 1)
        while found >= 0:
            if found + _DECIDED_BY > len(block) and block.find(b"\n", found) < 0:
                break
            line = _STEP_LINE.match(block, found)
            if line is not None and (found == 0 or block[found - 1] in _BEFORE_STEP):
                self._add_step(int(line.group(1)), start + found, block)
            found = block.find(_STEP, found + len(_STEP))
        # One byte before, because what stands before a step decides too.
        self._searched = start + (found - 1 if found > 0 else max(0, len(block) - len(_STEP)))

    def _add_step(self, step: int, at: int, block: bytes) -> None:
        if self._steps and step == self._steps[-1]:
            return
        if self._steps and step < self._steps[-1]:
            self._is_sorted = False
        self._skipped += 1
        if self._skipped < self._stride:
            return
        self._skipped = 0
        self._steps.append(step)
        self._offsets.append(at)
        if len(self._steps) > _MOST_STEPS:
            self._steps, self._offsets = self._steps[::2], self._offsets[::2]
            self._stride *= 2

    def _bytes(self, start: int, count: int) -> bytes:
        descriptor = open_log(self.path)
        if descriptor is None:
            return b""
        try:
            return os.pread(descriptor, count, start)
        finally:
            os.close(descriptor)


_KEPT = _Kept()


def index_of(path: Path) -> LogIndex:
    """The index of a log that this process keeps: made when it is first asked for, brought up to date by `update`."""
    return _KEPT.get(path)
