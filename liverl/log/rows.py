"""The last rows of a growing file of one JSON object a line, whatever else stands in it."""

from __future__ import annotations

import json
import math
import os
import re
from collections import deque
from pathlib import Path
from typing import Any

from liverl.log.growing import NewLines, open_log

Row = dict[str, Any]
_STEP = re.compile(rb'\{"step": ?(-?\d{1,12})[,}]')
_LOOK_BYTES = 64 << 10


def decode_row(line: bytes) -> Row | None:
    """The object of a line; None when it holds none."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def number(row: Row, key: str) -> float | None:
    """A finite number of a row; None where there is none of that name."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def whole(row: Row, key: str) -> int | None:
    """A whole number of a row; None where there is none of that name."""
    value = row.get(key)
    return value if type(value) is int and abs(value) < 1 << 53 else None


class LastRows:
    """The last `keep` rows of a file, as far as they lie in its last bytes; each look reads only what is new."""

    def __init__(self, path: Path, keep: int, last_bytes: int) -> None:
        self._lines = NewLines(path, last_bytes)
        self._keep = keep
        self._rows: deque[Row] = deque(maxlen=keep)
        self._restarts = 0

    def read(self) -> list[Row]:
        """The last rows, oldest first."""
        fresh: deque[bytes] = deque(maxlen=self._keep)
        for lines in self._lines.read():
            fresh.extend(lines)
        if self._lines.restarts != self._restarts:
            self._restarts = self._lines.restarts
            self._rows.clear()
        self._rows.extend(row for line in fresh if (row := decode_row(line)) is not None)
        return list(self._rows)


def rows_up_to(path: Path, step: int, last_bytes: int) -> list[Row]:
    """The last rows of a step or an earlier one, oldest first, of a file whose rows are ordered by step."""
    descriptor = open_log(path)
    if descriptor is None:
        return []
    try:
        end = _end_of(descriptor, step)
        start = max(0, end - last_bytes)
        lines = os.pread(descriptor, end - start, start).split(b"\n")
    except OSError:
        return []
    finally:
        os.close(descriptor)
    rows = (decode_row(line) for line in lines[0 if start == 0 else 1 :])
    return [row for row in rows if row is not None and (whole(row, "step") or 0) <= step]


def _end_of(descriptor: int, step: int) -> int:
    """Where the rows up to a step end: halving, as far as there are rows that tell their step."""
    low, high = 0, os.fstat(descriptor).st_size
    while high - low > _LOOK_BYTES:
        middle = (low + high) // 2
        block = os.pread(descriptor, _LOOK_BYTES, middle)
        found = _STEP.search(block, block.find(b"\n") + 1)
        if found is None or int(found.group(1)) > step:
            high = middle
        else:
            low = middle + found.start()
    return min(os.fstat(descriptor).st_size, high + _LOOK_BYTES)
