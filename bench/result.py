"""A measurement's file: what was measured, on which machine, and what the same program measured before.

Measure   one number with its bar
Table     rows that go with it
Result    the whole file; `save` writes it, `load` reads it
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from bench.machine import describe
from liverl.record.clock import utc_now
from liverl.record.jsonl import write_by_rename

FOLDER = Path(__file__).resolve().parent / "results"
Cell = str | int | float | None


@dataclass(frozen=True)
class Measure:
    """One number; None when it could not be measured.

    `better` says which way is up, "" where neither is. `bar` is what the number must reach (at least, or at most).
    A change smaller than `noise` is none.
    """

    key: str
    label: str
    value: float | None
    unit: str = ""
    better: Literal["higher", "lower", ""] = ""
    bar: float | None = None
    noise: float = 0.0

    @property
    def is_met(self) -> bool | None:
        """Whether the number reaches its bar; None without a bar."""
        if self.bar is None:
            return None
        if self.value is None:
            return False
        return self.value >= self.bar if self.better == "higher" else self.value <= self.bar


@dataclass(frozen=True)
class Table:
    """A table as it is to be shown: a row has one cell a column."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Before:
    """What the file held before: when and where it was measured, and the numbers by key."""

    time: str
    machine: Mapping[str, Any]
    values: Mapping[str, float | None]


@dataclass(frozen=True)
class Result:
    """One file of bench/results/: numbers, tables, a note on how they were taken, and whatever else explains them."""

    name: str
    title: str
    measures: Sequence[Measure]
    tables: Sequence[Table] = ()
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    time: str = ""
    machine: Mapping[str, Any] = field(default_factory=dict)
    before: Before | None = None


def save(result: Result, folder: Path = FOLDER) -> Path:
    """Write the result as `<name>.json` with time and machine; what the file held becomes its `before`."""
    path = folder / f"{result.name}.json"
    before = None
    if path.is_file():
        old = load(path)
        before = Before(old.time, old.machine, {measure.key: measure.value for measure in old.measures})
    content = asdict(result) | {
        "time": utc_now(),
        "machine": describe(),
        "before": asdict(before) if before else None,
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_by_rename(path, text.encode() + b"\n")
    return path


def load(path: Path) -> Result:
    """The result of a file; raises `TypeError` where it holds something else."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["measures"] = [Measure(**measure) for measure in content["measures"]]
    content["tables"] = [Table(**table) for table in content["tables"]]
    content["before"] = Before(**content["before"]) if content["before"] else None
    return Result(**content)


def load_all(folder: Path = FOLDER) -> list[Result]:
    """Every result of a folder, by name."""
    return [load(path) for path in sorted(folder.glob("*.json"))]
