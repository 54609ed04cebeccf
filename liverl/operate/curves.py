"""What a run measured step by step, read in little memory, and several such curves over their common steps."""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from liverl.record.layout import RunDir

POINTS = 10
# Larger integers are no measurements, and would not fit the columns.
_LARGEST_INTEGER = 2**53


@dataclass(frozen=True)
class Metric:
    """A curve's name, the keys that hold it (the first one present counts), and whether more or less is better.

    `better` is "highest", "lowest" or "", where neither is better in itself.
    """

    name: str
    keys: tuple[str, ...]
    better: str = ""


METRICS = (
    Metric("reward", ("trial/reward/mean", "critic/score/mean"), "highest"),
    Metric("validation", ("trial/val/reward/mean", "val-core/*/reward/mean@"), "highest"),
    Metric("response length", ("response_length/mean",)),
    Metric("entropy", ("actor/entropy",)),
    Metric("grad norm", ("actor/grad_norm",)),
    Metric("seconds a step", ("timing_s/step",), "lowest"),
)
SCORED = Metric("validation trials", ("trial/val/scored",))
SPREAD = Metric("validation spread", ("trial/val/reward/std",))
_COLUMNS = (*METRICS, SCORED, SPREAD)
VALIDATION = METRICS[1]


@dataclass(frozen=True)
class Curve:
    """One metric of one run: the steps that have it, ascending, and its values; both may be empty."""

    steps: Sequence[int]
    values: Sequence[float]

    def at(self, step: int) -> float | None:
        """The value at a step; None where it was not measured."""
        index = bisect_left(self.steps, step)
        found = index < len(self.steps) and self.steps[index] == step
        return self.values[index] if found else None

    def best(self, better: str) -> tuple[float, int] | None:
        """The highest or lowest value and its first step; None where nothing was measured or neither is better."""
        if not self.values or not better:
            return None
        value = max(self.values) if better == "highest" else min(self.values)
        return value, self.steps[self.values.index(value)]

    def mean(self, first: int, end: int) -> float | None:
        """The mean of the values from a step up to another, which does not count."""
        values = self.values[bisect_left(self.steps, first) : bisect_left(self.steps, end)]
        # Divided first: the sum of finite values need not be finite.
        return math.fsum(value / len(values) for value in values) if values else None


class Measurements:
    """The columns of one metrics.jsonl: 8 bytes a step and metric, so that 100,000 steps take 8 MB.

    Rows of one step are merged as `liverl.record.metrics` does: a later attempt's replaces, the same one's adds.
    """

    def __init__(self) -> None:
        self._steps = array("q")
        self._attempts = array("q")
        self._columns = {metric: array("d") for metric in _COLUMNS}

    @property
    def last_step(self) -> int | None:
        """The highest step that has a row; None when none has."""
        return self._steps[-1] if self._steps else None

    def curve(self, metric: Metric) -> Curve:
        """One metric where it was measured."""
        values = self._columns[metric]
        there = [not math.isnan(value) for value in values]
        return Curve(array("q", compress(self._steps, there)), array("d", compress(values, there)))

    def add(self, row: dict[str, Any]) -> None:
        """Keep what a row says of the metrics; one without a step or an attempt is skipped."""
        step, attempt = row.get("step"), row.get("attempt")
        if type(step) is not int or type(attempt) is not int:
            return
        if not (0 <= step < _LARGEST_INTEGER and 0 <= attempt < _LARGEST_INTEGER):
            return
        values = {metric: _value(row, metric.keys) for metric in _COLUMNS}
        index = bisect_left(self._steps, step)
        if index == len(self._steps) or self._steps[index] != step:
            self._steps.insert(index, step)
            self._attempts.insert(index, attempt)
            for metric, value in values.items():
                self._columns[metric].insert(index, value)
        elif attempt >= self._attempts[index]:
            is_later = attempt > self._attempts[index]
            self._attempts[index] = attempt
            for metric, value in values.items():
                if is_later or value == value:
                    self._columns[metric][index] = value


def read_measurements(run: RunDir) -> Measurements:
    """The metrics of a run, one line in memory at a time; nothing when it has none, torn lines skipped."""
    found = Measurements()
    try:
        with run.metrics_jsonl.open("rb") as stream:
            for line in stream:
                row = _decode(line)
                if row is not None:
                    found.add(row)
    except FileNotFoundError:
        pass
    return found


def common_points(curves: Sequence[Curve], most: int = POINTS) -> tuple[list[int], list[list[float]]]:
    """Up to so many steps over the range that all curves cover, and each curve's values there.

    Where more steps than that were measured, a value is the mean of an equal part of the range, named by the part's
    last step. A step or part counts when every curve has a value in it.
    """
    if not curves or any(not curve.steps for curve in curves):
        return [], []
    first, last = max(curve.steps[0] for curve in curves), min(curve.steps[-1] for curve in curves)
    ends = _ends(curves, first, last, most)
    points = []
    for begin, end in zip([first, *ends], ends, strict=False):
        means = [curve.mean(begin, end) for curve in curves]
        complete = [mean for mean in means if mean is not None]
        if len(complete) == len(means):
            points.append((end - 1, complete))
    return [step for step, _ in points], [[values[n] for _, values in points] for n in range(len(curves))]


def _ends(curves: Sequence[Curve], first: int, last: int, most: int) -> list[int]:
    """Where each part of first..last ends: behind every measured step if these are few, else equally far apart."""
    measured: set[int] = set()
    for curve in curves:
        low = bisect_left(curve.steps, first)
        # One more than `most` of one curve is already too many.
        measured.update(curve.steps[low : min(low + most + 1, bisect_left(curve.steps, last + 1))])
    if len(measured) <= most:
        return [step + 1 for step in sorted(measured)]
    width = (last + 1 - first) / most
    return sorted({first + math.ceil(width * (part + 1)) for part in range(most - 1)} | {last + 1})


def _value(row: dict[str, Any], keys: Sequence[str]) -> float:
    for key in keys:
        value = row.get(key) if "*" not in key else _first_like(row, key)
        if type(value) is float or (type(value) is int and abs(value) < _LARGEST_INTEGER):
            return float(value) if math.isfinite(value) else math.nan
    return math.nan


def _first_like(row: dict[str, Any], pattern: str) -> Any:
    before, _, within = pattern.partition("*")
    return next((row[key] for key in row if key.startswith(before) and within in key), None)


def _decode(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
