"""The made run that reading is measured on, in small."""

from __future__ import annotations

from pathlib import Path

from bench.reading import KEYS, make_run, measure
from liverl.log.rows import LastRows
from liverl.operate.status import status


def test_a_made_run_is_a_live_one_of_the_asked_size(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", log_bytes=1_000_000, steps=50, trials=128)
    now = status(run)
    assert (now.state, now.step, now.steps_total, now.validation.last_step) == ("training", 49, 100, 40)
    assert 0.8 <= run.attempt_log(1).stat().st_size / 1e6 <= 1.2
    (*_, row) = LastRows(run.metrics_jsonl, keep=1, last_bytes=10_000).read()
    assert len(row) == KEYS


def test_everything_is_measured_and_only_what_is_new_is_read(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", log_bytes=1_000_000, steps=50, trials=128)
    result = measure(run, steps=50, calls=5, rounds=1)
    found = {measure.key: measure.value for measure in result.measures}
    assert all(value is not None and value > 0 for value in found.values())
    assert found["growth_mb"] is not None and 0.9 < found["growth_mb"] < 1.1
