"""Rows of metrics as they come, kept as columns; the rows of one step are merged when the series is asked for."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from liverl.log.formats.picking import block, getter
from liverl.log.formats.standing import standing
from liverl.log.formats.values import BEYOND
from liverl.log.names import Names, verl_names, with_aliases
from liverl.log.series import Series, Values

_FLUSH_ROWS = 1024
_LAYOUTS = 256
# 100,000 steps of 300 metrics: more would not fit into the memory that a reader may take.
_MOST_VALUES = 30_000_000
# What every row may hold says nothing about whether two rows are of one kind.
_COMMON = frozenset(
    ("training/global_step", "training/epoch", "step", "epoch", "global_step", "_step", "iteration")
)
# Each part of a program tells how long its own steps take; of a row that tells nothing else that is its mark.
_OF_ANY = ("timing_s/", "perf/")
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:")
_NOTHING: Values = np.full(0, np.nan)
_ALMOST = BEYOND * 0.99


@dataclass
class _Layout:
    """Rows that hold the same keys: which of them are kept, and the values that are not yet in columns."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    get: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    marks: frozenset[str]
    top: int = -1
    latest: tuple[Any, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    at: list[int] = field(default_factory=list)

    @property
    def is_validation(self) -> bool:
        """Whether they tell a validation alone."""
        return all(name.startswith("val") for name in self.names)


@dataclass(frozen=True)
class Point:
    """Where rows stood: so many, and what tells the next attempt."""

    count: int
    attempt: int
    is_told_attempt: bool
    told: Mapping[tuple[str, ...], tuple[int, tuple[Any, ...]]]


class Rows:
    """Rows of metrics in the order in which they were told.

    `wanted` are the metrics to keep (None: all). With `null_is_nonfinite` a null was measured and is not finite, as
    verl's own writer has it; otherwise it was not measured. With `repeats_begin` a step that is told twice in rows of
    the same keys and other values was made twice. With `are_tables` rows of other keys begin another attempt only where
    they tell something else of the same step: a page shows one run in several tables.
    """

    def __init__(
        self,
        names: Names,
        null_is_nonfinite: bool = False,
        repeats_begin: bool = False,
        are_tables: bool = False,
    ) -> None:
        self.null_is_nonfinite = null_is_nonfinite
        self._repeats_begin = repeats_begin
        self._are_tables = are_tables
        self.names = names
        self._steps, self._lines = array("q"), array("q")
        self._attempts, self._spans = array("q"), array("q")
        self._times: list[str] = []
        self._columns: dict[str, Values] = {}
        self._kept: set[str] = set()
        self._layouts: dict[tuple[str, ...], _Layout] = {}
        self._current: _Layout | None = None
        self._waiting = 0
        self._attempt = 0
        self._is_told_attempt = False

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def attempts(self) -> int:
        """How often the steps begin, as the rows have it."""
        return 0 if not self._steps else 1 if self._is_told_attempt else self._attempt + 1

    @property
    def last_step(self) -> int | None:
        """The step of the newest row."""
        return self._steps[-1] if self._steps else None

    def add(
        self,
        row: Mapping[str, Any],
        step: int | None,
        line: int = 0,
        *,
        attempt: int | None = None,
        time: str = "",
        span: int = 1,
    ) -> None:
        """Keep a row; one without a step is the next one."""
        layout = self._layout(row)
        values = layout.get(row)
        if step is None:
            step = self._steps[-1] + 1 if self._steps else 1
        if attempt is not None:
            self._is_told_attempt = True
            self._attempts.append(attempt)
        else:
            self._attempts.append(self._attempt_of(step, layout, values))
        if step > layout.top:
            layout.top = step
        layout.latest = values
        layout.at.append(len(self._steps))
        layout.rows.append(values)
        self._steps.append(step)
        self._lines.append(line)
        self._spans.append(span)
        if time or self._times:
            self._times += [""] * (len(self._steps) - 1 - len(self._times))
            self._times.append(time)
        self._waiting += 1
        if self._waiting >= _FLUSH_ROWS:
            self._flush()

    def series(self) -> Series:
        """All rows until now, one a step, under their own names and under verl's."""
        self._flush()
        count = len(self._steps)
        steps, lines, attempts, spans = (
            np.frombuffer(bytes(each), np.int64) if count else np.zeros(0, np.int64)
            for each in (self._steps, self._lines, self._attempts, self._spans)
        )
        chosen = standing(steps, attempts, keeps_longest=not self._is_told_attempt)
        columns = {name: chosen.merged(self._column(name, count)[:count]) for name in self._columns}
        times: list[str] = []
        if self._times:
            padded = self._times + [""] * (count - len(self._times))
            times = [padded[index] for index in chosen.last.tolist()]
        return Series(
            steps[chosen.last],
            with_aliases(columns),
            lines[chosen.last],
            tuple(times),
            spans[chosen.last],
            told=frozenset(columns),
        )

    def point(self) -> Point:
        """Where the rows stand now, to come back to from a provisional last row."""
        told = {keys: (layout.top, layout.latest) for keys, layout in self._layouts.items()}
        return Point(len(self._steps), self._attempt, self._is_told_attempt, told)

    def back_to(self, point: Point) -> None:
        """Forget what came behind the point."""
        self._flush()
        for each in (self._steps, self._lines, self._attempts, self._spans):
            del each[point.count :]
        del self._times[point.count :]
        # A series that was given before keeps its row: it looks at the arrays as they were.
        self._columns = {name: values[: point.count].copy() for name, values in self._columns.items()}
        self._attempt, self._is_told_attempt = point.attempt, point.is_told_attempt
        for keys, layout in self._layouts.items():
            layout.top, layout.latest = point.told.get(keys, (-1, ()))

    def _layout(self, row: Mapping[str, Any]) -> _Layout:
        current = self._current
        # Told by comparison of the keys in their order: two dicts of the same program have them in the same order.
        keys = tuple(row)
        if current is not None and keys == current.keys:
            return current
        found = self._layouts.get(keys)
        if found is None:
            found = self._new_layout(keys, row)
        self._current = found
        return found

    def _new_layout(self, keys: tuple[str, ...], row: Mapping[str, Any]) -> _Layout:
        if len(self._layouts) >= _LAYOUTS:
            self._flush()
            # The kinds of rows are too many to be kinds; what they were told up to is no sign of a new attempt.
            self._layouts.clear()
        kept: dict[str, str] = {}
        for key in keys:
            name = self.names.of(key)
            if name is not None and name not in kept and not _is_date(row[key]) and self._has_room(name):
                kept[name] = key
        used = list(kept.values())
        found = _Layout(keys, tuple(kept), getter(used), _marks(frozenset(kept) - _COMMON))
        self._layouts[keys] = found
        return found

    def _has_room(self, name: str) -> bool:
        rows = max(1024, len(self._steps))
        if name not in self._kept and (len(self._kept) + 1) * rows > _MOST_VALUES:
            return False
        self._kept.add(name)
        return True

    def _attempt_of(self, step: int, layout: _Layout, values: tuple[Any, ...]) -> int:
        """A step that was told before in a row of the same kind begins another attempt."""
        if not self._steps or step > self._steps[-1]:
            return self._attempt
        was_made = (
            self._repeats_begin
            and layout.top == step
            and layout.latest != values
            and not layout.is_validation  # told twice: as it was computed, and rounded
        )
        if step == self._steps[-1] and not was_made:
            return self._attempt
        for other in self._layouts.values():
            least = min(len(other.marks), len(layout.marks))
            if self._are_tables and other is not layout and not self._differs(other, step, layout, values):
                continue
            if other.top >= step and least and len(other.marks & layout.marks) * 2 >= least:
                self._attempt += 1
                for each in self._layouts.values():
                    each.top = -1
                break
        return self._attempt

    def _differs(self, other: _Layout, step: int, layout: _Layout, values: tuple[Any, ...]) -> bool:
        """Whether rows of another kind have told something else of a step; a longer table is taken for a run's own."""
        if len(self._steps) >= _FLUSH_ROWS:
            return True
        told = {name: value for name, value in zip(layout.names, values, strict=True) if name not in _COMMON}
        return any(
            told.get(name, value) != value
            for at, row in zip(other.at, other.rows, strict=True)
            if self._steps[at] == step and self._attempts[at] == self._attempt
            for name, value in zip(other.names, row, strict=True)
        )

    def _flush(self) -> None:
        if not self._waiting:
            return
        count = len(self._steps)
        for layout in self._layouts.values():
            if layout.rows:
                self._keep(layout, count)
        self._waiting = 0

    def _keep(self, layout: _Layout, count: int) -> None:
        told = block(layout.rows, len(layout.names))
        if self.null_is_nonfinite:
            told[np.isnan(told)] = np.inf
        with np.errstate(invalid="ignore"):
            told[np.abs(told) >= _ALMOST] = np.inf
        at = layout.at
        where: Any = slice(at[0], at[-1] + 1) if at[-1] - at[0] + 1 == len(at) else np.array(at)
        for index, name in enumerate(layout.names):
            values = told[:, index]
            # What holds words alone is no metric.
            if name in self._columns or not np.isnan(values).all():
                self._column(name, count)[where] = values
        layout.rows, layout.at = [], []

    def _column(self, name: str, count: int) -> Values:
        values = self._columns.get(name, _NOTHING)
        if len(values) < count:
            grown = np.full(max(_FLUSH_ROWS, count + count // 4), np.nan)
            grown[: len(values)] = values
            self._columns[name] = values = grown
        return values

    def __bool__(self) -> bool:
        return len(self._steps) > 0


def _marks(names: frozenset[str]) -> frozenset[str]:
    """Those of the names by which a row of its kind is known."""
    own = frozenset(
        name for name in names if not any(each.startswith(_OF_ANY) for each in (name, *verl_names(name)))
    )
    return own or names


def _is_date(value: Any) -> bool:
    """Whether a value is a date and a time, which no row of its kind has as a number."""
    return isinstance(value, str) and _DATE.match(value) is not None
