"""The account of a step and of a run, on seconds that can be added up by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.seconds import account, account_step, kinds_table, result
from liverl.errors import RunError
from liverl.record import Attempt, RunDir, RunRecord, append_event, append_trial, write_run
from liverl.record.jsonl import append_object
from liverl.record.metrics import Row
from tests.record.rows import trial_row

TIMING: Row = {
    "step": 1,
    "timing_s/step": 20.0,
    "timing_s/gen": 11.0,
    "timing_s/old_log_prob": 2.0,
    "timing_s/adv": 0.5,
    "timing_s/update_actor": 3.0,
    "timing_s/update_weights": 1.0,
    "timing_s/save_checkpoint": 1.5,
}
# Two trials: covered are 100-106, 107-109 and 109-110, so one second lies between spans.
TRIALS = (
    trial_row(spans=[("sandbox", 100.0, 101.0), ("generation", 101.0, 104.0), ("command", 104.0, 106.0)]),
    trial_row(spans=[("generation", 103.0, 105.0), ("verifier", 107.0, 109.0), ("sandbox", 108.0, 110.0)]),
)


def test_what_was_at_work_and_what_was_not_add_up_to_the_step() -> None:
    step = account_step(TIMING, TRIALS)
    work = sum(step.exclusive.values()) + sum(step.updates.values())
    assert work + step.idle_s == pytest.approx(step.wall_s)


def test_an_instant_of_several_kinds_counts_once() -> None:
    step = account_step(TIMING, TRIALS)
    assert step.exclusive == {"generation": 4.0, "command": 1.0, "verifier": 2.0, "sandbox": 2.0}
    assert step.union == {"generation": 4.0, "command": 2.0, "verifier": 2.0, "sandbox": 3.0}
    assert step.summed["generation"] == 5.0


def test_idle_is_the_step_less_spans_and_updates_whatever_else_the_trainer_did() -> None:
    step = account_step(TIMING, TRIALS)
    assert step.updates == {"old_log_prob": 2.0, "update_actor": 3.0, "update_weights": 1.0}
    assert step.idle_s == pytest.approx(20 - 9 - 6)
    assert step.idle == {"adv": 0.5, "save_checkpoint": 1.5, "between spans": 1.0, "rest": pytest.approx(2.0)}


def test_a_step_without_trials_is_all_the_trainers() -> None:
    assert account_step(TIMING, []).idle_s == pytest.approx(20 - 6)


def test_phases_that_overlap_are_refused_rather_than_added_up() -> None:
    with pytest.raises(RunError, match="overlap"):
        account_step({**TIMING, "timing_s/step": 12.0}, TRIALS)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """Two steps, the second with a validation, after a measurement before training."""
    made = RunDir.create(tmp_path / "run")
    attempt = Attempt(1, "1970-01-01T00:00:50.000Z", "host", "boot", "pid:[1]", state="finished")
    write_run(made, RunRecord("run", attempt.started, 2, attempts=(attempt,)))
    append_event(made, "started", attempt=1)
    ended = "1970-01-01T00:02:00.000Z"
    for step, split in ((1, "train"), (2, "train"), (2, "val")):
        for trial in TRIALS:
            append_trial(made, trial_row(time=ended, step=step, split=split, spans=trial.spans))
    rows = [
        {"step": 0, "time": "1970-01-01T00:01:00.000Z"},
        {**TIMING, "time": "1970-01-01T00:01:20.500Z"},
        {**TIMING, "step": 2, "timing_s/testing": 10.0, "time": "1970-01-01T00:01:51.000Z"},
    ]
    for row in rows:
        append_object(made.metrics_jsonl, {**row, "attempt": 1})
    return made


def test_a_run_is_all_its_steps(run: RunDir) -> None:
    found = account(run)
    assert [step.step for step in found.steps] == [1, 2]
    assert found.wall_s == 40
    assert found.idle_share == pytest.approx(10 / 40)


def test_a_validation_is_told_apart_from_its_step(run: RunDir) -> None:
    last = account(run).steps[-1]
    assert last.validation_s == 10
    assert last.validation_idle_s == pytest.approx(1)


def test_what_lies_between_steps_is_the_rest_of_the_time_from_row_to_row(run: RunDir) -> None:
    # 51 s from the first row to the last, of which 50 s are two steps and a validation.
    assert account(run).between_s == pytest.approx(1)


def test_the_rows_of_the_table_add_up_to_all_steps(run: RunDir) -> None:
    table = kinds_table(account(run))
    *parts, total = [float(str(row[1])) for row in table.rows]
    assert sum(parts) == pytest.approx(total) == pytest.approx(40)


def test_the_bar_is_on_the_share_with_nothing_at_work(run: RunDir) -> None:
    idle = next(one for one in result(account(run), "run").measures if one.key == "idle_share")
    assert idle.value == pytest.approx(0.25)
    assert idle.is_met is False


def test_a_run_whose_steps_were_not_timed_is_refused(run: RunDir) -> None:
    run.metrics_jsonl.write_text('{"step": 1, "attempt": 1, "time": "1970-01-01T00:01:00.000Z"}\n')
    with pytest.raises(RunError, match="No step"):
        account(run)
