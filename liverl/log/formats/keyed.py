"""A note of a few lines that hold one metric each (`actor/entropy: 0.4`), and no step: one row that sums up a run."""

from __future__ import annotations

import re

from liverl.log.formats import pairs
from liverl.log.formats.rows import Rows
from liverl.log.formats.training import is_of_training, known_of
from liverl.log.formats.values import NUMBER, number, whole
from liverl.log.names import Names, is_metric
from liverl.log.series import Series

# What somebody writes down by hand; a log is longer.
MOST_BYTES = 4096
_LINE = re.compile(
    rf"^[\s>*•|-]{{0,8}}(?P<key>[A-Za-z_][\w./@-]*(?: [A-Za-z_][\w./@-]*){{0,3}})\s?(?::|={{1,2}})\s{{0,8}}"
    rf"(?P<value>{NUMBER}|-?nan|[-+]?inf|NaN)\s?(?P<unit>%|[A-Za-z/]{{1,12}})?[\s,|]*$"
)
_STEPS = ("steps", "step", "global_step", "training/global_step", "total_steps", "n_steps")
_FEWEST = 2
_SHARE = 0.6


def keyed_series(content: bytes) -> Series:
    """The one row that such a note tells; no row of any other text."""
    rows = Rows(Names())
    if (found := keyed_row(content)) is not None:
        rows.add(found[1], found[0])
    return rows.series()


def keyed_row(content: bytes) -> tuple[int, dict[str, float]] | None:
    """The step and the metrics of such a note; None of any other text."""
    if len(content) > MOST_BYTES:
        return None
    lines = [line for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    row: dict[str, float] = {}
    for line in lines:
        found = _LINE.match(line)
        value = number(found.group("value")) if found else None
        if found is None or value is None:
            if row.keys() & (several := pairs.row_until(line.strip().rstrip(",;.|"))).keys():
                return None
            row |= several
            continue
        key = _name(found.group("key"))
        if key in row:
            return None  # told again and again: those are rows
        row[key] = value / 100 if found.group("unit") == "%" else value
    if len(row) < max(_FEWEST, _SHARE * len(lines)):
        return None
    if len(known_of(row)) < _FEWEST or not is_of_training(row):
        return None
    step = next((told for key in _STEPS if (told := whole(row.get(key))) is not None), 1)
    return step, {key: each for key, each in row.items() if key not in _STEPS}


def _name(key: str) -> str:
    joined = key.replace(" ", "_")
    return joined if " " in key and is_metric(joined) else key
