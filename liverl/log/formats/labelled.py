"""Tables that tell several runs: below each other, each row with its run's name (`run,step,reward`), or side by side,
each column with it, as W&B exports them.

RUN_COLUMNS   the columns that name a run
RunsOf        the rows of each run of a table
names_of      which keys of a row of JSON name its run
run_of        the name that they tell
side_by_side  whether several runs are such as somebody compares
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from liverl.log.formats.rows import Point, Rows
from liverl.log.names import Names
from liverl.log.series import Series

RUN_COLUMNS = frozenset((
    "run", "run_name", "run_id", "arm", "experiment", "experiment_name", "exp", "exp_name", "variant", "seed",
    "ablation", "method", "algo", "algorithm", "config", "model", "condition",
))  # fmt: skip
# More are no runs that somebody compares; tables of more rows are not kept twice.
_MOST_RUNS, _MOST_ROWS = 32, 200_000
_NAME_CHARS = 60
# A run of fewer steps has no curve; one that shares fewer of its steps with another is its continuation.
_FEWEST_STEPS, _SHARED = 3, 0.5


class RunsOf:
    """The rows of each run of a table, told apart by the cells at some places, or by their columns (`is_wide`)."""

    def __init__(self, places: Sequence[int], names: Names, is_wide: bool = False) -> None:
        self._places = tuple(places)
        self._is_wide = is_wide
        self._names = names
        self._runs: dict[str, Rows] = {}
        self._count = 0

    def add(self, cells: Sequence[str], row: Mapping[str, float], step: int | None, line: int) -> None:
        """Keep a row for the run that its cells name."""
        if self._places:
            self.add_to(" ".join(cells[at].strip() for at in self._places)[:_NAME_CHARS], row, step, line)

    def add_to(self, name: str, row: Mapping[str, float], step: int | None, line: int) -> None:
        """Keep a row for a run."""
        if step is None or not row or self._count > _MOST_ROWS:
            return
        self._count += 1
        if self._count > _MOST_ROWS or (name not in self._runs and len(self._runs) >= _MOST_RUNS):
            self._count, self._runs = _MOST_ROWS + 1, {}
            return
        if (rows := self._runs.get(name)) is None:
            rows = self._runs[name] = Rows(self._names)
        rows.add(row, step, line)

    def point(self) -> dict[str, Point]:
        """Where the rows of each run stand now, to come back to from a provisional last row."""
        return {name: rows.point() for name, rows in self._runs.items()}

    def back_to(self, point: Mapping[str, Point]) -> None:
        """Forget what came behind the point."""
        self._runs = {name: rows for name, rows in self._runs.items() if name in point}
        for name, rows in self._runs.items():
            if len(rows) > point[name].count:
                self._count -= len(rows) - point[name].count
                rows.back_to(point[name])

    def series(self) -> dict[str, Series]:
        """Each run by its name, in the order of the table; nothing where they are not several runs side by side."""
        if len(self._runs) < 2:
            return {}
        told = {name: rows.series() for name, rows in self._runs.items()}
        if self._is_wide:
            told = {name: each for name, each in told.items() if len(each) >= _FEWEST_STEPS}
            return told if len(told) > 1 else {}
        return told if side_by_side(told.values()) else {}


def side_by_side(runs: Collection[Series]) -> bool:
    """Whether runs have curves of about the same steps: others are parts of one, or no runs."""
    steps = [set(each.steps.tolist()) for each in runs]
    if len(steps) < 2 or min(map(len, steps)) < _FEWEST_STEPS:
        return False
    seen = steps[0]
    for each in steps[1:]:
        if len(each & seen) < _SHARED * min(len(each), len(seen)):
            return False
        seen = seen | each
    return True


def run_of(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The name of a row's run, which some of its keys tell."""
    return " ".join(str(row.get(key, "")).strip() for key in keys)[:_NAME_CHARS]


def names_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a row that name its run."""
    return tuple(
        key for key, value in row.items() if type(value) in (str, int) and key.lower() in RUN_COLUMNS
    )
