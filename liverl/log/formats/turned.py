"""Tables that lie on their side without bars: a line a metric, a column a step (`metric,1,2,3`, or by blanks)."""

from __future__ import annotations

import re
from collections.abc import Callable

from liverl.log.formats.cells import is_nothing, is_step_name, key_of, scale_of, step_of, value_of
from liverl.log.formats.rows import Rows
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.names import Names

# What somebody keeps by hand, or a notebook writes.
MOST_BYTES = 1 << 20
_WIDE = re.compile(r"\t+| {2,}")
_STEP = re.compile(r"(?i)(?:(?:global|train)?[ _]?(?:step|iter(?:ation)?|update|s)[ _#]{0,2})?\d{1,9}k?")
_NAMES = frozenset(("", "metric", "metrics", "name", "key", "variable", "measure"))
_FEWEST_STEPS, _FEWEST_KNOWN = 4, 2
_MOST_ROWS, _LONGEST_NAME = 400, 60


def is_turned(line: str, delimiter: str) -> bool:
    """Whether the first line of a table names steps, and no metrics."""
    return bool(_steps([cell.strip().strip('"') for cell in line.split(delimiter)]))


def turned_rows(content: bytes) -> Rows:
    """The rows of such a table; none of any other text."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES:
        return rows
    lines = content.decode("utf-8", "replace").splitlines()
    for at, line in enumerate(lines):
        for split in _splits(line):
            header = split(line)
            if (steps := _steps(header)) and (table := _table(lines[at + 1 :], split, len(header))):
                for column, step in enumerate(steps):
                    rows.add(
                        {name: row[column] for name, row in table.items() if row[column] is not None}, step
                    )
                return rows
    return rows


def _splits(line: str) -> list[Callable[[str], list[str]]]:
    found: list[Callable[[str], list[str]]] = []
    for sign in (",", ";", "\t"):
        if line.count(sign) >= _FEWEST_STEPS:
            found.append(lambda text, by=sign: [each.strip().strip('"') for each in text.split(by)])  # type: ignore[misc]
    if len(_WIDE.findall(line.strip())) >= _FEWEST_STEPS - 1:
        found.append(lambda text: _WIDE.split(text.strip()))
    return found


def _steps(header: list[str]) -> list[int]:
    """The steps that a header names, in their order; none where it names anything else."""
    if len(header) < _FEWEST_STEPS + 1 or not (header[0].lower() in _NAMES or is_step_name(header[0])):
        return []
    found = [step_of(cell.replace("_", " ")) for cell in header[1:] if _STEP.fullmatch(cell)]
    steps = [each for each in found if each is not None]
    return steps if len(steps) == len(header) - 1 and steps == sorted(set(steps)) else []


def _table(
    lines: list[str], split: Callable[[str], list[str]], count: int
) -> dict[str, list[float | None]] | None:
    """The values of each metric; None where they are not those of a training."""
    table: dict[str, list[float | None]] = {}
    for line in lines[:_MOST_ROWS]:
        cells = split(line)
        if len(cells) != count or len(cells[0]) > _LONGEST_NAME:
            if table:
                break
            continue
        values = [None if is_nothing(cell) else value_of(cell) for cell in cells[1:]]
        if any(value is not None for value in values):
            scale = scale_of(cells[0])
            table.setdefault(key_of(cells[0]), [None if each is None else each * scale for each in values])
    known = known_of(table) - {"actor/lr"}
    return table if len(known) >= _FEWEST_KNOWN and known & OF_A_TRAINING else None
