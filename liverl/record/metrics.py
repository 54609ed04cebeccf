"""metrics.jsonl: one flat object a step, merged of verl's own rows and of the trials of that step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import fmean, pstdev
from typing import Any

from liverl.record.clock import utc_now
from liverl.record.jsonl import append_object, encode, read_objects, write_by_rename
from liverl.record.layout import RunDir
from liverl.record.shapes import number
from liverl.record.trials import TrialRow

Row = dict[str, Any]


def flatten(raw: Row, attempt: int) -> Row | None:
    """verl's `{"step": N, "data": {...}}` as `{"step", "attempt", "time", ...}`; None when it isn't one."""
    step, data = raw.get("step"), raw.get("data")
    if not _is_step(step) or not isinstance(data, dict):
        return None
    head = {"step": step, "attempt": attempt, "time": utc_now()}
    return {**head, **{key: value for key, value in data.items() if key not in head}}


def _is_step(value: object) -> bool:
    return type(value) is int and abs(value) < 2**63


def merge(old: Row | None, new: Row) -> Row:
    """Two rows of one step: a later attempt's replaces, the same attempt's adds, an earlier one's is lost."""
    if old is None or new["attempt"] > old["attempt"]:
        return new
    return {**old, **new} if new["attempt"] == old["attempt"] else old


def trial_metrics(rows: Iterable[TrialRow]) -> Row:
    """The keys of one step's trials: training ones under `trial/`, validation ones under `trial/val/`."""
    rows = list(rows)
    train = [row for row in rows if row.split == "train"]
    validation = [row for row in rows if row.split == "val"]
    return _aggregate("trial", train) | _aggregate("trial/val", validation)


def _aggregate(prefix: str, rows: list[TrialRow]) -> Row:
    if not rows:
        return {}
    scored = [row.reward for row in rows if row.reward is not None]
    result: Row = {f"{prefix}/count": len(rows), f"{prefix}/scored": len(scored)}
    if scored:
        result[f"{prefix}/reward/mean"] = fmean(scored)
        result[f"{prefix}/reward/std"] = pstdev(scored)
    for outcome, count in sorted(Counter(row.outcome for row in rows).items()):
        result[f"{prefix}/outcome/{outcome}"] = count
    for name in ("turns", "prompt_tokens", "completion_tokens", "sequences", "tries"):
        result[f"{prefix}/{name}/mean"] = fmean(getattr(row, name) for row in rows)
    for phase in sorted({phase for row in rows for phase in row.seconds}):
        seconds = [row.seconds[phase] for row in rows if phase in row.seconds]
        result[f"{prefix}/seconds/{phase}/mean"] = fmean(seconds)
        result[f"{prefix}/seconds/{phase}/max"] = max(seconds)
    return result


class MetricsFile:
    """The one writer of metrics.jsonl: appends a new step, rewrites the file when an earlier one changes."""

    def __init__(self, run: RunDir) -> None:
        self._path = run.metrics_jsonl
        self._rows = {row["step"]: row for row in read_metrics(run)}

    def add(self, row: Row) -> Row:
        """Merge a row into the file and return the merged row."""
        step = row["step"]
        merged = merge(self._rows.get(step), row)
        is_next = step > max(self._rows, default=-1)
        self._rows[step] = merged
        if is_next:
            append_object(self._path, merged)
        else:
            lines = (encode(self._rows[key]) + b"\n" for key in sorted(self._rows))
            write_by_rename(self._path, b"".join(lines))
        return merged

    def covers(self, row: Row) -> bool:
        """Whether its step has a row of its attempt or of a later one."""
        known = self._rows.get(row["step"])
        return known is not None and known["attempt"] >= row["attempt"]

    def values(self, key: str) -> dict[int, float]:
        """One metric by step, where it was measured."""
        found = ((step, number(row.get(key))) for step, row in self._rows.items())
        return {step: value for step, value in found if value is not None}


def read_metrics(run: RunDir) -> list[Row]:
    """One row a step, by step; torn lines are skipped and a step's repeated rows merged."""
    rows: dict[int, Row] = {}
    for row in read_objects(run.metrics_jsonl):
        if _is_step(row.get("step")) and _is_step(row.get("attempt")):
            rows[row["step"]] = merge(rows.get(row["step"]), row)
    return [rows[step] for step in sorted(rows)]
