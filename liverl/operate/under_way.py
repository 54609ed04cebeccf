"""Which trials an attempt is at, counted from the end of trials.jsonl as it grows."""

from __future__ import annotations

import re
from pathlib import Path

from liverl.log.growing import NewLines
from liverl.log.rows import decode_row, whole
from liverl.record.clock import to_seconds

# Of a run that was never looked at before only so much: some thousand trials, more than a step has.
_LAST_BYTES = 8 << 20
# Asynchronous trainers have several steps under way.
_KEPT = 32
# A row's beginning as its writer makes it, so that a row with thousands of spans need not be decoded.
_ROW = re.compile(
    rb'\{"time": "([^"\\]{10,40})", "task": "[^"]*", "trial": "[^"]*", "split": "(\w+)", "step": (-?\d{1,9}),'
)


class UnderWay:
    """How many trials of each split and step have ended, the newest steps only."""

    def __init__(self, path: Path) -> None:
        self._lines = NewLines(path, _LAST_BYTES)
        self._restarts = 0
        self._since_s = 0.0
        self._counts: dict[tuple[str, int], int] = {}

    def update(self, since_s: float) -> None:
        """Take in the trials that ended since a time; another time, that of the next attempt, starts over."""
        if since_s != self._since_s:
            self._since_s = since_s
            self._forget()
        for lines in self._lines.read():
            self._begin_anew_if_replaced()
            for line in lines:
                self._take(line)
        self._begin_anew_if_replaced()

    @property
    def any_ended(self) -> bool:
        """Whether a trial of the attempt has ended."""
        return bool(self._counts)

    def ahead(self, step: int) -> tuple[str, int] | None:
        """Split and number of the trials that ended for what the trainer, which has logged a step, is at now.

        None when none did. Trials of a later step are ahead, and validation's of this one.
        """
        for (split, at), count in reversed(self._counts.items()):
            if at > step or (split == "val" and at == step):
                return split, count
        return None

    def _forget(self) -> None:
        self._counts.clear()

    def _begin_anew_if_replaced(self) -> None:
        if self._lines.restarts != self._restarts:
            self._restarts = self._lines.restarts
            self._forget()

    def _take(self, line: bytes) -> None:
        found = _read(line)
        if found is None or found[0] < self._since_s:
            return
        # The one that was added to last stands last.
        self._counts[found[1:]] = self._counts.pop(found[1:], 0) + 1
        while len(self._counts) > _KEPT:
            del self._counts[next(iter(self._counts))]


def _read(line: bytes) -> tuple[float, str, int] | None:
    """When a trial ended, its split and its step."""
    if (found := _ROW.match(line)) is not None:
        return (
            to_seconds(found.group(1).decode(errors="replace")),
            found.group(2).decode(),
            int(found.group(3)),
        )
    row = decode_row(line)
    step = None if row is None else whole(row, "step")
    if row is None or step is None:
        return None
    return to_seconds(str(row.get("time", ""))), str(row.get("split", "")), step
