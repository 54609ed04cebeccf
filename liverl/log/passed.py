"""How far a run got that tells no metrics: by what it says of its steps, or by its training's bar.

Marks      what such a log told of its steps last, and before which byte all was survived
marks_of   the marks at a log's end
trains     whether a log tells metrics of training, and not only validations
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from liverl.log.formats.progress import is_other
from liverl.log.series import Series

VALIDATION = ("val", "eval", "training/")
_PIECE_BYTES, _MOST_BYTES = 64 << 10, 1 << 20
# TinyZero, Search-R1 and what was made of them, whose metrics go to wandb alone; the bar of any trainer.
_MARK = re.compile(
    rb"\bepoch \d{1,6}, step (\d{1,9})[ \t]*(?=[\r\n]|\Z)|%\|[^|\r\n]{0,400}\| *(\d{1,9})/(\d{1,9}) \["
)
# A bar may be drawn once more as it stood before.
_FEWEST = 3


@dataclass(frozen=True)
class Marks:
    """`planned` are the steps of the training's bar (0: none), `last` those done as told last (None: nothing is).

    Before the byte `until`, which is in line `line`, all was survived: so many steps were told behind it (0: none).
    """

    planned: int = 0
    last: int | None = None
    until: int = 0
    line: int = 0

    def steps_after(self, descriptor: int, offset: int) -> int:
        """How many steps were done behind the line at a byte; 2 where it is many bytes to the next that is told."""
        if offset >= self.until or self.last is None:
            return 0
        piece = os.pread(descriptor, _PIECE_BYTES, offset)
        told = next((step for _, step in marks_in(piece, self.planned)), self.last)
        return max(_FEWEST - 1, self.last - told)


def marks_of(descriptor: int, size: int, lines: int, planned: int) -> Marks:
    """The marks in the last 1 MB of a log that has so many lines."""
    last: int | None = None
    seen: set[int] = set()
    behind, high = 0, size
    while high > max(0, size - _MOST_BYTES):
        low = max(0, high - _PIECE_BYTES)
        # A mark that is cut by the piece's end was whole in the one before it.
        piece = os.pread(descriptor, high - low + 512, low)
        for at, step in reversed([mark for mark in marks_in(piece, planned) if mark[0] < high - low]):
            last = step if last is None else last
            seen.add(step)
            if len(seen) >= _FEWEST:
                behind += piece.count(b"\n", at, high - low)
                ends_open = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                return Marks(planned, last, low + at, lines - behind + 1 - ends_open)
        behind += piece.count(b"\n", 0, high - low)
        high = low
    return Marks(planned, last)


def marks_in(piece: bytes, planned: int) -> Iterator[tuple[int, int]]:
    """Where a piece of a log tells its steps, and how many are done by then; bars of another total are passed over."""
    if b", step " not in piece and b"%|" not in piece:
        return
    for found in _MARK.finditer(piece):
        if found.group(1) is not None:
            yield found.start(), max(0, int(found.group(1)) - 1)  # said as it begins
        elif planned and int(found.group(3)) == planned:
            begin = max(piece.rfind(each, 0, found.start()) for each in (b"\n", b"\r")) + 1
            if not is_other(piece[begin : found.end()]):
                yield found.start(), int(found.group(2))


def trains(series: Series) -> bool:
    """Whether rows tell more than validations."""
    return len(series) > 0 and any(not name.startswith(VALIDATION) for name in series.columns)
