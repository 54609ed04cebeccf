"""A table whose first column names the metrics, with a column of values: `| actor/entropy | 0.44 | fine |`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from liverl.log.formats.training import known_of
from liverl.log.formats.values import number
from liverl.log.names import is_metric

_BARS = re.compile("[│┃║|]")
_LINE = re.compile(r"[\s:|+-]*")
_MARKS = str.maketrans("", "", "*`")
_FEWEST = 2
# The column that is read, where there are several: what stands for all of a run, or the only one that was measured.
_COLUMNS = (
    re.compile(r"(?i)\bmean\b|\bavg\b|average|均值|平均"),
    re.compile(r"(?i)^(?:values?|observed|measured|actual|result|current|值|数值|结果|实测)$"),
)


def table_row(lines: Sequence[str]) -> dict[str, float]:
    """The metrics of such a table; nothing where there is none, or it is not told which of its columns counts."""
    cells = [_cells(line) for line in lines if len(_BARS.findall(line)) > 1 and not _LINE.fullmatch(line)]
    if len(cells) <= _FEWEST:
        return {}
    header, width = cells[0], len(cells[0])
    column = next((at for each in _COLUMNS for at in range(1, width) if each.search(header[at])), None)
    if column is None and width == _FEWEST:
        column = 1
    row: dict[str, float] = {}
    for each in cells[1:]:
        if column is None or len(each) != width or not is_metric(each[0]):
            continue
        value = number(each[column].split("（")[0].split(" (")[0])
        if value is not None:
            row.setdefault(each[0], value)
    return row if len(known_of(row)) >= _FEWEST else {}


def _cells(line: str) -> list[str]:
    cells = [each.strip() for each in _BARS.split(line.translate(_MARKS).strip())]
    return cells[0 if cells[0] else 1 : None if cells[-1] else -1]
