"""The newest trials of a growing run: each look reads only the rows that are new."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from liverl.log.growing import NewLines
from liverl.log.rows import decode_row
from liverl.record.trials import TrialRow, parse_trials

# Some five thousand trials: ten steps at either end of what an attribution compares.
LAST_BYTES = 8 << 20
# Most of a row, and nothing that a diagnosis asks for.
_LARGE = ("spans", "seconds")


class TrialRows:
    """The rows of a trials.jsonl that stand in its last bytes, without their times, oldest first.

    Of another file in its place they are read anew.
    """

    def __init__(self, path: Path, last_bytes: int = LAST_BYTES) -> None:
        self._lines = NewLines(path, last_bytes)
        self._last_bytes = last_bytes
        # Each row with the bytes of its line.
        self._rows: deque[tuple[int, TrialRow]] = deque()
        self._bytes = self._restarts = 0

    def read(self) -> list[TrialRow]:
        """The rows now; a torn line and one that is no trial are left out."""
        for lines in self._lines.read():
            self._begin_anew_if_replaced()
            for line in lines:
                row = decode_row(line) or {}
                for name in _LARGE:
                    row.pop(name, None)
                for found in parse_trials([row]):
                    self._rows.append((len(line) + 1, found))
                    self._bytes += len(line) + 1
        self._begin_anew_if_replaced()
        while self._bytes > self._last_bytes:
            self._bytes -= self._rows.popleft()[0]
        return [row for _, row in self._rows]

    def _begin_anew_if_replaced(self) -> None:
        if self._lines.restarts != self._restarts:
            self._restarts = self._lines.restarts
            self._rows.clear()
            self._bytes = 0
