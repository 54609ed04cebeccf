"""metrics.jsonl."""

from __future__ import annotations

import json

import pytest

from liverl.record.layout import RunDir
from liverl.record.metrics import MetricsFile, flatten, merge, read_metrics, trial_metrics
from tests.record.rows import trial_row


def test_a_row_of_the_trainer_becomes_flat() -> None:
    row = flatten({"step": 4, "data": {"actor/lr": 1e-4}}, attempt=2)
    assert row is not None and row["time"].endswith("Z")
    assert {key: row[key] for key in row if key != "time"} == {"step": 4, "attempt": 2, "actor/lr": 1e-4}


@pytest.mark.parametrize("raw", [{}, {"step": "x", "data": {}}, {"step": 1}, {"step": 1, "data": []}])
def test_what_is_no_row_is_left_out(raw: dict[str, object]) -> None:
    assert flatten(raw, 1) is None


def test_rows_of_one_step_and_attempt_are_merged() -> None:
    merged = merge({"step": 1, "attempt": 1, "a": 1, "b": 1}, {"step": 1, "attempt": 1, "b": 2, "c": 3})
    assert merged == {"step": 1, "attempt": 1, "a": 1, "b": 2, "c": 3}


def test_a_later_attempt_replaces_a_step_and_an_earlier_one_does_not() -> None:
    first, second = {"step": 1, "attempt": 1, "a": 1}, {"step": 1, "attempt": 2, "b": 2}
    assert merge(first, second) == second
    assert merge(second, first) == second


def test_the_file_holds_one_line_a_step_however_the_rows_came(run: RunDir) -> None:
    metrics = MetricsFile(run)
    for step, attempt, key in ((1, 1, "a"), (2, 1, "a"), (2, 1, "b"), (3, 1, "a")):
        metrics.add({"step": step, "attempt": attempt, key: step})
    MetricsFile(run).add({"step": 2, "attempt": 2, "c": 0})
    lines = [json.loads(line) for line in run.metrics_jsonl.read_text().splitlines()]
    assert lines == [
        {"step": 1, "attempt": 1, "a": 1},
        {"step": 2, "attempt": 2, "c": 0},
        {"step": 3, "attempt": 1, "a": 3},
    ]
    assert read_metrics(run) == lines


def test_trials_become_metrics_and_a_trial_without_reward_counts_but_is_not_scored() -> None:
    rows = [
        trial_row(reward=1.0, outcome="solved"),
        trial_row(reward=0.0),
        trial_row(reward=None, outcome="infrastructure", blame="sandbox"),
        trial_row(reward=1.0, outcome="solved", split="val"),
    ]
    found = trial_metrics(rows)
    assert found["trial/count"] == 3
    assert found["trial/scored"] == 2
    assert found["trial/reward/mean"] == 0.5
    assert found["trial/outcome/infrastructure"] == 1
    assert found["trial/seconds/total/mean"] == 2.0
    assert found["trial/val/reward/mean"] == 1.0


def test_a_step_without_trials_has_no_trial_metrics() -> None:
    assert trial_metrics([]) == {}
