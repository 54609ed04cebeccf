"""The panel of metrics that open-instruct draws for each step: a metric a line, or a line for each part of a name."""

from __future__ import annotations

import re

from liverl.log.formats.training import is_of_training
from liverl.log.formats.values import number, whole

BEGINS = "─ Metrics ─".encode()
_ENDS = "╰└"
_LINE = re.compile(r"^\s*[│┃|] (?P<text>.*?)\s*[│┃|]\s*$")
_CELLS = re.compile(r"^ ?(?P<first>\S+)?\s*(?:(?<=\s\s)(?P<second>\S.*))?$")
_BETWEEN = re.compile(r"\s?\|\s?")
_STEPS = ("training_step", "global_step", "step")
# Keys without a part before a slash are told together.
_OTHER = "other"
# Two digits are left of what is larger than a threshold, which has moved.
_TOO_SMALL = frozenset(("0.00", "-0.00"))
_MOST_LINES = 160


class Panel:
    """A panel from its title on; `follow` is 1 while more of it is expected."""

    form = "box"
    total: int | None = None

    def __init__(self) -> None:
        self.follow = 1
        self._left = _MOST_LINES
        self._cells: list[list[str]] = []

    def join(self, text: str) -> bool:
        """Whether a line is one of the panel's."""
        self._left -= 1
        found = _LINE.match(text)
        self.follow = 1 if found and self._left else 0
        if found is None:
            return text.strip()[:1] in _ENDS if text.strip() else False
        cells = _CELLS.match(found.group("text"))
        if cells is None:
            return True
        if cells.group("first"):
            self._cells.append([cells.group("first"), cells.group("second") or ""])
        elif self._cells:  # a cell that was broken at its width
            self._cells[-1][1] += f" {cells.group('second') or ''}"
        return True

    @property
    def step(self) -> int | None:
        """The step that a panel tells."""
        row = self._row()
        return next((step for key in _STEPS if (step := whole(row.get(key))) is not None), None)

    @property
    def row(self) -> dict[str, float] | None:
        """The metrics; None where there are none that only a training has."""
        row = self._row()
        return row if is_of_training(row) else None

    def _row(self) -> dict[str, float]:
        row: dict[str, float] = {}
        for first, second in self._cells:
            for told in _BETWEEN.split(second):
                key, _, text = told.rpartition(":")
                name = first if not key else key.strip() if first == _OTHER else f"{first}/{key.strip()}"
                value = None if text.strip() in _TOO_SMALL else number(text)
                if value is not None:
                    row[name] = value
        return row
