"""Tables with a column a metric: verl's metrics as csv, exports of W&B and TensorBoard, whatever has a step column."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection

from liverl.log.formats.detect import EPOCHS, STEP_COLUMNS, delimiter_of
from liverl.log.formats.rows import Rows
from liverl.log.formats.values import number, whole
from liverl.log.names import Names

_BOUNDS = ("__MIN", "__MAX")
# Tables that tell one metric a row, by its name: the columns of the names, and of the values.
NAME_COLUMNS = frozenset(("metric", "metric_name", "name", "tag", "key", "variable"))
VALUE_COLUMNS = frozenset(("value", "metric_value", "val"))
_TAG = re.compile(r"run-.*?-?tag-(.+)$")
_SLASH = re.compile(r" ?/ ?")
_NOT_METRICS = frozenset(
    ("timestamp", "time", "date", "wall time", "_timestamp", "_runtime", "relative time (process)")
)


class CsvRows:
    """Takes the lines of a table, the header first; `rows` are its metrics.

    `file_stem` names the metric of a table whose one column is called Value, as TensorBoard exports it.
    """

    def __init__(self, wanted: Collection[str] | None, file_stem: str = "") -> None:
        self._wanted = wanted
        self._stem = file_stem
        self.rows = Rows(Names(wanted))
        self.runs: tuple[str, ...] = ()
        self._line = 0
        self._header: list[str] | None = None
        self._delimiter = ","
        self._step: int | None = None
        self._columns: list[tuple[int, str]] = []
        self._pair: tuple[int, int] | None = None

    def feed(self, lines: list[bytes]) -> None:
        """Keep the rows of some lines; a line that is no row of the table is passed over."""
        for line in lines:
            self._line += 1
            text = line.decode("utf-8", "replace").strip("\ufeff\r\x00")
            if not text.strip():
                continue
            if self._header is None:
                self._begin(text)
            else:
                self._add(text)

    def feed_last(self, line: bytes) -> None:
        """Keep the row of a line that has no end yet, if all its cells are there."""
        if self._header is None or line.count(self._delimiter.encode()) >= len(self._header) - 1:
            self.feed([line])
            self._line -= 1

    def _begin(self, text: str) -> None:
        self._delimiter = delimiter_of(text)
        # Notebooks write `completions / mean_length`.
        self._header = [_SLASH.sub("/", cell.strip()) for cell in _cells(text, self._delimiter)]
        lowered = [cell.lower() for cell in self._header]
        steps = [name for name in STEP_COLUMNS if name in lowered and name not in EPOCHS]
        self._step = lowered.index(steps[0]) if steps else None
        self._pair = _pair_of(lowered) if steps else None
        columns = [
            (index, name)
            for index, name in enumerate(self._header)
            if name
            and index != self._step
            and name.lower() not in _NOT_METRICS
            and not name.endswith(_BOUNDS)
        ]
        has_slashes = any("/" in name for _, name in columns)
        self._columns = self._of_one_run(columns)
        self.rows = Rows(Names(self._wanted, underscored=not has_slashes and self._pair is None))

    def _of_one_run(self, columns: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """W&B names a column `run - metric`: the metrics of the run that has most of them."""
        runs = Counter(name.rpartition(" - ")[0] for _, name in columns if " - " in name)
        if not runs:
            named = [(index, self._tag() if name == "Value" else name) for index, name in columns]
            return named
        self.runs = tuple(runs)
        run = runs.most_common(1)[0][0]
        return [(index, name.rpartition(" - ")[2]) for index, name in columns if name.rpartition(" - ")[0] == run
                and not name.rpartition(" - ")[2].startswith("_")]  # fmt: skip

    def _tag(self) -> str:
        found = _TAG.match(self._stem)
        return found.group(1) if found else self._stem or "Value"

    def _add(self, text: str) -> None:
        cells = _cells(text, self._delimiter)
        if self._header is None or len(cells) != len(self._header):
            return
        row: dict[str, float] = {}
        columns = self._columns if self._pair is None else [(self._pair[1], cells[self._pair[0]].strip())]
        for index, name in columns:
            cell = cells[index]
            if cell:
                try:
                    value: float | None = float(cell)
                    if value != value or value in (float("inf"), float("-inf")):
                        value = number(cell)
                except ValueError:
                    value = number(cell)
                if value is not None:
                    row[name] = value
        step = None if self._step is None else whole(cells[self._step])
        if row or step is not None:  # else the header again, before the next session's rows
            self.rows.add(row, step, self._line)


def _pair_of(header: list[str]) -> tuple[int, int] | None:
    """Where a table that tells one metric a row has its name and its value; None of any other table."""
    names = [at for at, cell in enumerate(header) if cell in NAME_COLUMNS]
    values = [at for at, cell in enumerate(header) if cell in VALUE_COLUMNS]
    return (names[0], values[0]) if len(names) == 1 and len(values) == 1 else None


def _cells(text: str, delimiter: str) -> list[str]:
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return []
