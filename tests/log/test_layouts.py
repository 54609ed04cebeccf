"""A run's metrics are the same whatever they are printed like."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from liverl.diagnose.catalogue import catalogue, patterns
from liverl.diagnose.diagnose import diagnose
from liverl.diagnose.snapshot import Snapshot
from liverl.log.reader import Reader
from liverl.log.series import Series
from tests.log.layouts import LAYOUTS, METRICS, NAMES, STEPS, Rows, rows

# What four decimals leave of a value.
_NEAR = 6e-5


def _written(folder: Path, name: str, told: Rows) -> Path:
    file, content = LAYOUTS[name](told)
    (folder / file).write_bytes(content)
    return folder / file


@cache
def _values(program: str, is_broken: bool) -> dict[str, list[float]]:
    told = rows(program, is_broken)
    return {
        metric: [row[name] for _, row in told] for metric, name in zip(METRICS, NAMES[program], strict=True)
    }


def _differences(found: Series, program: str, is_broken: bool) -> list[str]:
    if found.steps.tolist() != list(range(1, STEPS + 1)):
        return [f"steps {found.steps.tolist()}"]
    missed = []
    for metric, told in _values(program, is_broken).items():
        values, expected = found.columns.get(metric, np.zeros(0)), np.array(told)
        finite = np.isfinite(expected)
        is_same = (
            len(values) == STEPS
            and np.array_equal(np.isinf(values), ~finite)
            and np.allclose(values[finite], expected[finite], rtol=1e-3, atol=_NEAR)
        )
        missed += [] if is_same else [metric]
    return missed


@pytest.mark.parametrize("name", LAYOUTS)
def test_all_metrics_of_all_steps_are_read(name: str, tmp_path: Path) -> None:
    first = list(LAYOUTS).index(name) % 2 * 2
    for is_broken, program in enumerate(list(NAMES)[first : first + 2]):
        path = _written(tmp_path, name, rows(program, bool(is_broken)))
        assert _differences(Reader(path, ()).read().series, program, bool(is_broken)) == [], program


@pytest.mark.parametrize("name", list(LAYOUTS)[::9])
def test_the_diagnosis_is_the_same(name: str, tmp_path: Path) -> None:
    writeups = catalogue()
    for is_broken, verdict in ((False, "healthy"), (True, "sick")):
        told = Reader(_written(tmp_path, name, rows("trl", is_broken)), patterns(writeups)).read()
        found = diagnose(
            Snapshot(name, told.kind, told.series, told.sightings, told.facts, told.settings), writeups
        )
        assert found.verdict == verdict
        assert (found.primary.id if found.primary else "") == ("policy:nan" if is_broken else "")
