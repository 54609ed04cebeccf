"""Rows of metrics, one JSON object a line: ours, verl's `file` logger, W&B's history, Tinker, whatever has a step."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

import orjson

from liverl.log.formats.delimited import NAME_COLUMNS, VALUE_COLUMNS
from liverl.log.formats.detect import EPOCHS, STEP_COLUMNS
from liverl.log.formats.labelled import RunsOf, names_of, run_of
from liverl.log.formats.rows import Rows
from liverl.log.formats.values import whole
from liverl.log.names import Names

# Where a logger puts the metrics of a row, beside its step.
_NESTED = ("data", "metrics", "logs", "values", "scalars", "summary")
_STEP_KEYS = tuple(name for name in STEP_COLUMNS if name not in EPOCHS)
_DEEPEST = 4
# A row that tells one metric by its name has a step, a time and a run beside it.
_MOST_OF_A_SCALAR = 6


class JsonRows:
    """Takes lines of JSON objects; `rows` are their metrics, `by_run` those of each run where they name several."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self.rows = Rows(Names(wanted))
        self.by_run = RunsOf((), self.rows.names)
        self._line = 0
        # What names the run of a row; None until there was one.
        self._named_by: tuple[str, ...] | None = None
        self._step_key = ""

    def feed(self, lines: list[bytes]) -> None:
        """Keep the rows of some lines; what is no object is passed over."""
        decode, add = orjson.loads, self._add
        for line in lines:
            self._line += 1
            if not line:
                continue
            try:
                row = decode(line)
            except ValueError:
                row = lenient(line)
            if type(row) is dict:
                # Without a second brace nothing is nested: a look at the bytes is a tenth of one at the values.
                add(row, line.find(b"{", 1) > 0)

    def feed_last(self, line: bytes) -> None:
        """Keep the row of a line that has no end yet, if it is a whole object."""
        if line.rstrip().endswith(b"}"):
            self.feed([line])
            self._line -= 1

    def _add(self, row: dict[str, Any], may_nest: bool) -> None:
        nested = row.get("data") if may_nest else None
        if type(nested) is dict:
            # verl's own writer turns what is not finite into null.
            self.rows.null_is_nonfinite = True
            step = row.get("step")
            self.rows.add(
                nested, step if type(step) is int and abs(step) < 2**53 else _step(nested), self._line
            )
            return
        if may_nest:
            if _is_deep(row):
                row = flat(row)
            elif type(told := row.get("metrics")) is str and type(inner := lenient(told.encode())) is dict:
                row = row | inner  # as a column of a data base holds them
        if len(row) <= _MOST_OF_A_SCALAR:
            row = scalar(row)
        attempt = row.get("attempt")
        if type(attempt) is int and abs(attempt) < 2**53:
            self.rows.null_is_nonfinite = True
        else:
            attempt = None
        time = row.get("time", "")
        step = self._step(row)
        self.rows.add(row, step, self._line, attempt=attempt, time=time if type(time) is str else "")
        if self._named_by is None and step is not None:
            self._named_by = names_of(row)
        if self._named_by:
            self.by_run.add_to(run_of(row, self._named_by), row, step, self._line)

    def _step(self, row: Mapping[str, Any]) -> int | None:
        key = self._step_key
        if key and key in row:
            step = row[key]
            return step if type(step) is int and abs(step) < 2**53 else whole(step)
        for key in _STEP_KEYS:
            if key in row and (step := whole(row[key])) is not None:
                self._step_key = key
                return step
        return _of_all(row)


def lenient(line: bytes) -> Any:
    """An object with NaN, Infinity or integers of any length in it; None where it is none even so."""
    line = line.removeprefix(b"\xef\xbb\xbf").strip(b"\x00 \r\t")
    if not line.startswith((b"{", b"[")):
        return None
    try:
        return json.loads(line, parse_constant=lambda name: math.inf, parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def flat(row: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Nested objects as keys with slashes; the boxes that loggers put metrics into leave no trace."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            inner = prefix if key in _NESTED and not depth else f"{prefix}{key}/"
            found |= flat(value, inner, depth + 1)
        elif not isinstance(value, list | dict):
            # RL4LMs names what is in a box by the box once more.
            found[key if prefix and key.startswith(prefix) else f"{prefix}{key}"] = value
    return found


def scalar(row: dict[str, Any]) -> dict[str, Any]:
    """A row that tells one metric by its name (`{"step": 1, "tag": "kl", "value": 0.1}`), under that name."""
    value = next((row[key] for key in VALUE_COLUMNS if type(row.get(key)) in (int, float)), None)
    name = next((row[key] for key in NAME_COLUMNS if type(row.get(key)) is str), None)
    if value is None or not name or not any(key in row for key in _STEP_KEYS):
        return row
    return {name: value} | {key: row[key] for key in row.keys() - NAME_COLUMNS - VALUE_COLUMNS}


def _step(row: Mapping[str, Any]) -> int | None:
    found = (whole(row[key]) for key in _STEP_KEYS if key in row)
    return next((step for step in found if step is not None), None)


def _of_all(row: Mapping[str, Any]) -> int | None:
    """The step that ms-swift tells as `5/3766`."""
    told = row.get("global_step/max_steps")
    return whole(told.partition("/")[0]) if isinstance(told, str) else None


def _is_deep(row: Mapping[str, Any]) -> bool:
    return any(type(value) is dict for value in row.values())


def _integer(text: str) -> float:
    try:
        return float(text)
    except (ValueError, OverflowError):
        return math.inf
