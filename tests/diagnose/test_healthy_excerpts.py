"""A healthy run alarms nobody: not on its way, and not by any few rows of it that somebody keeps."""

from __future__ import annotations

import json
import random
from math import isfinite
from pathlib import Path

import pytest

from liverl.log.reader import Reader
from liverl.operate.diagnose import diagnose_file
from tests.troubleshooting.case import healthy_until

STEPS = 120


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("healthy") / "training.log"
    path.write_text("\n".join(healthy_until(STEPS)) + "\n")
    return path


def alarms(path: Path) -> list[str]:
    """What is told at warn or above, but that it goes no further."""
    found = diagnose_file(path).diagnosis.findings
    return [each.id for each in found if each.is_alarm and not each.id.startswith("run:")]


def test_no_moment_of_it_alarms(healthy: Path, tmp_path: Path) -> None:
    lines = healthy.read_text().splitlines()
    part = tmp_path / "training.log"
    for end in range(40, len(lines), 9):
        part.write_text("\n".join(lines[:end]) + "\n")
        assert alarms(part) == [], end


def rows_of(path: Path) -> list[dict[str, float]]:
    """What each step has told, by verl's names."""
    series = Reader(path, ()).read().series
    return [
        {
            "step": step,
            **{name: float(values[row]) for name, values in series.columns.items() if isfinite(values[row])},
        }
        for row, step in enumerate(series.steps.tolist())
    ]


@pytest.mark.parametrize("kept", [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24])
def test_no_few_rows_of_it_alarm(healthy: Path, tmp_path: Path, kept: int) -> None:
    series = rows_of(healthy)
    rng, table = random.Random(kept), tmp_path / "metrics.jsonl"
    for _ in range(6):
        apart = rng.randint(1, max(1, len(series) // kept))
        first = rng.randint(0, max(0, len(series) - 1 - apart * (kept - 1)))
        rows = series[first : first + apart * kept : apart]
        table.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert alarms(table) == [], rows
