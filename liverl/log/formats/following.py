"""What the lines behind a line go on with: a table's rows, the pairs below a step, the rest of a dict.

Told        a row of metrics and where it was told
Following   takes those lines
"""

from __future__ import annotations

from typing import NamedTuple

from liverl.log.formats.ended import Ended
from liverl.log.formats.grids import Grid
from liverl.log.formats.line import text_of, time_of
from liverl.log.formats.panel import Panel
from liverl.log.formats.sideways import Sideways
from liverl.log.formats.spread import Below, Rest

# What goes on behind the line that began it.
Begun = Grid | Below | Rest | Sideways | Ended | Panel


class Told(NamedTuple):
    """A row, the form and the line that told it, and the planned steps where those stand beside it."""

    form: str
    step: int | None
    row: dict[str, float]
    number: int
    time: str
    total: int | None = None


class Following:
    """One thing at a time that was begun by a line and goes on; `follow` is how many lines more it wants to see."""

    def __init__(self) -> None:
        self._begun: Begun | None = None
        self._number, self._time = 0, ""

    @property
    def follow(self) -> int:
        """How many lines more are wanted."""
        return max(0, self._begun.follow) if self._begun is not None else 0

    def begin(self, begun: Begun, number: int, raw: bytes) -> list[Told]:
        """Something else begins; what was begun before is told."""
        before = self.end()
        self._begun, self._number, self._time = begun, number, time_of(raw)
        return before

    def take(self, number: int, raw: bytes) -> tuple[bool, list[Told]]:
        """Whether a line belongs to what was begun, and the rows that are whole now."""
        if self._begun is None:
            return False, []
        if isinstance(self._begun, Grid):
            row = self._begun.row(text_of(raw))
            return row is not None, [Told("grid", *row, number, time_of(raw))] if row else self._ended()
        is_part = self._begun.join(text_of(raw))
        return is_part, self._ended()

    def settled(self) -> list[Told]:
        """The row as far as it is told; that of a step is told again when there is more of it."""
        return self.end() if isinstance(self._begun, Rest | Sideways) else self._rows()

    def end(self) -> list[Told]:
        """Nothing more follows."""
        rows, self._begun = self._rows(), None
        return rows

    def _ended(self) -> list[Told]:
        return [] if self.follow else self.end()

    def _rows(self) -> list[Told]:
        begun = self._begun
        if isinstance(begun, Below | Ended | Panel) and (row := begun.row):
            return [Told(begun.form, begun.step, row, self._number, self._time, begun.total)]
        if isinstance(begun, Sideways):
            return [Told("grid", *row, self._number, self._time) for row in begun.rows]
        if isinstance(begun, Rest) and (found := begun.found):
            return [Told("dict", *found, self._number, self._time)]
        return []
