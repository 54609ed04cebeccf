"""Metrics a line each, the same names again and again: boxes, blocks, sections; a row ends where one comes again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from liverl.log.formats import pairs
from liverl.log.formats.rows import Rows
from liverl.log.formats.spread import cells_of
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.formats.values import NOT_FINITE, NUMBER, bared, number, whole
from liverl.log.names import Names

MOST_BYTES = 4 << 20
_LINE = re.compile(
    rf"^[\s>*•|│┃#-]{{0,12}}[\"'`]?(?P<key>[A-Za-z_][\w./@-]*+(?: [\w./@()-]++){{0,3}}+)[\"'*`]{{0,3}}\s*(?:[:=]|->|→)"
    rf"[*`]{{0,3}}\s{{0,40}}(?P<value>{NUMBER}|{NOT_FINITE})\s?(?P<unit>%|[kKM]|s|ms|tok(?:en)?s?)?[`*]{{0,3}}$"
)
_PREFIX = re.compile(r"^\s*\|\s?(?P<prefix>[a-z_]+/)\s*\|\s*\|?\s*$")
_HEADING = re.compile(
    r"(?i)(?<![\w/])(?:step|iter(?:ation)?|update)[ _:#=\[]{0,3}(?P<step>\d{1,12})\b(?![.%])"
)
_STEPS = (
    "step",
    "global_step",
    "_step",
    "iteration",
    "iterations",
    "iter",
    "update",
    "n_updates",
    "total_timesteps",
)
_END = " \t|│┃,;)]}."
_LONGEST = 200
_FEWEST_ROWS, _FEWEST_KNOWN = 3, 2


class _Blocks:
    """The rows as they come, and the steps that headings above or below them tell."""

    def __init__(self) -> None:
        self.rows: list[tuple[dict[str, float], int]] = []
        self.above: dict[int, int] = {}
        self.below: dict[int, int] = {}
        self._row: dict[str, float] = {}
        self._line = 0

    def add(self, told: dict[str, float], line: int) -> None:
        """One more metric; a row ends where its name comes again."""
        if self._row.keys() & told.keys():
            self.end()
        if not self._row:
            self._line = line
        self._row |= told

    def headed(self, step: int) -> None:
        """A line names a step, and tells no metric."""
        self.end()
        self.above[len(self.rows)] = step
        if self.rows:
            self.below.setdefault(len(self.rows) - 1, step)

    def end(self) -> None:
        """A row is told to its end."""
        if self._row:
            self.rows.append((self._row, self._line))
            self._row = {}


def repeated_rows(content: bytes) -> Rows:
    """The rows of such a text; none of any other, and none where what is repeated never changes, as of settings."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES:
        return rows
    blocks, prefix = _Blocks(), ""
    for at, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        if len(line) > _LONGEST:
            continue
        if named := _PREFIX.match(line):
            prefix = named.group("prefix")
        elif told := _told(line):
            blocks.add({_named(prefix, key): value for key, value in told.items()}, at)
        elif heading := _HEADING.search(line):
            prefix = ""
            blocks.headed(int(heading.group("step")))
        elif line.startswith("---"):
            prefix = ""
    blocks.end()
    kept = [each for each in blocks.rows if len(known_of(each[0]) - {"actor/lr"}) >= _FEWEST_KNOWN]
    if len(kept) < _FEWEST_ROWS or not _varies(row for row, _ in kept):
        return rows
    steps = blocks.above if 0 in blocks.above else blocks.below
    for index, (row, begun) in enumerate(blocks.rows):
        if len(known_of(row) - {"actor/lr"}) >= _FEWEST_KNOWN:
            own = next((step for key in _STEPS if (step := whole(row.get(key))) is not None), None)
            rows.add(
                {key: value for key, value in row.items() if key not in _STEPS}, steps.get(index, own), begun
            )
    return rows


def _told(line: str) -> dict[str, float]:
    text = bared(line).rstrip(_END)
    if (found := _LINE.match(text)) is None:
        return cells_of(text)
    value = number(found.group("value"))
    key = found.group("key")
    name = key.lower() if key.lower() in _STEPS else pairs.key_of(key)
    return {} if value is None else {name: pairs.scaled(value, found.group("unit") or "")}


def _named(prefix: str, key: str) -> str:
    return key if not prefix or "/" in key or key in _STEPS else prefix + key


def _varies(rows: Iterable[dict[str, float]]) -> bool:
    """Whether metrics of a training change from row to row."""
    seen: dict[str, set[float]] = {}
    for row in rows:
        for name, value in row.items():
            seen.setdefault(name, set()).add(value)
    changed = known_of(name for name, values in seen.items() if len(values) > 1) - {"actor/lr"}
    return len(changed) >= _FEWEST_KNOWN and bool(changed & OF_A_TRAINING)
