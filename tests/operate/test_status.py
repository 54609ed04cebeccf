"""How a run is doing."""

from __future__ import annotations

from typing import Any

import pytest

from liverl.operate.status import Observer, status, watch
from liverl.record.clock import utc_now
from liverl.record.events import append_event
from liverl.record.trials import append_trial
from liverl.run.stop import stop
from tests.operate.made import Made, at
from tests.record.rows import trial_row
from tests.run.scripted import Launch, made_pids, until


def validation(step: int, *rewards: float | None) -> tuple[dict[str, Any], ...]:
    """The trials of one validation."""
    return tuple(
        {
            "split": "val",
            "step": step,
            "reward": reward,
            "outcome": "infrastructure" if reward is None else "solved" if reward else "unsolved",
        }
        for reward in rewards
    )


def test_a_running_run_tells_step_reward_trials_and_time_left(made: Made) -> None:
    run = made(steps=((1, 0.1), (2, 0.2), (3, 0.5)), trials=({"step": 4}, {"step": 4}, {"step": 4}))
    now = status(run)
    assert (now.state, now.phase) == ("running", "training")
    assert (now.step, now.steps_total, now.reward) == (3, 30, 0.5)
    assert (now.trials_done, now.trials_total) == (3, 4)
    assert now.eta_s is not None and now.eta_s <= 27 * 10.0
    assert now.last_event is not None and now.last_event["step"] == 3
    assert now.rewards == ((1, 0.1), (2, 0.2), (3, 0.5))


def test_the_json_holds_state_and_the_first_and_last_validation(made: Made) -> None:
    run = made(steps=((0, 0.0), (10, 0.5)), trials=(*validation(0, 0.0, 1.0), *validation(10, 1.0, 1.0)))
    told = status(run).as_dict()
    assert told["state"] == "running"
    assert {key: told["validation"][key] for key in ("first", "last", "trials")} == {
        "first": 0.5,
        "last": 1.0,
        "trials": 2,
    }


def test_before_any_validation_its_values_are_null(made: Made) -> None:
    found = status(made()).as_dict()["validation"]
    assert (found["first"], found["last"], found["trials"]) == (None, None, 0)


def test_a_validation_that_goes_on_is_the_phase_and_not_yet_a_result(made: Made) -> None:
    now = status(made(trials=validation(0, 1.0)))
    assert (now.phase, now.trials_done, now.trials_total) == ("validating", 1, 2)
    assert now.validation.first is None


def test_trials_without_a_reward_do_not_enter_the_validations_mean(made: Made) -> None:
    found = status(made(steps=((0, 0.0),), trials=validation(0, 1.0, None))).validation
    assert (found.first, found.trials) == (1.0, 1)


def test_of_a_step_that_two_attempts_validated_the_later_one_counts(made: Made) -> None:
    early = tuple({**row, "time": at(5)} for row in validation(10, 0.0, 0.0))
    run = made(steps=((10, 0.5),), starts=(0.0, 100.0), trials=(*early, *validation(10, 1.0, 1.0)))
    assert status(run).validation.last == 1.0


def test_the_trials_of_an_earlier_attempt_are_not_counted_as_done_now(made: Made) -> None:
    run = made(starts=(0.0, 100.0), steps=((3, 0.1),), trials=({"step": 4, "time": at(5)}, {"step": 4}))
    assert status(run).trials_done == 1


def test_an_attempt_without_a_step_stands_at_its_checkpoint(made: Made) -> None:
    run = made(starts=(0.0, 100.0))
    (run.checkpoints / "global_step_20").mkdir()
    (run.checkpoints / "latest_checkpointed_iteration.txt").write_text("20")
    assert status(run).step == 20


def test_a_failed_run_says_why_with_its_last_words_and_what_to_do(made: Made) -> None:
    run = made(state="failed", reason="the trainer ended with exit status 1: ValueError: x")
    append_event(run, "died", process="trainer", lines=["Traceback", "ValueError: x"])
    now = status(run)
    assert now.evidence == ("Traceback", "ValueError: x")
    assert now.next_action == f"liverl resume {run.name}"
    assert (now.phase, now.eta_s) == ("", None)


def test_a_finished_run_says_where_its_policy_and_checkpoints_are(made: Made) -> None:
    run = made(state="finished")
    append_event(run, "exported", step=30, path="policy")
    (run.checkpoints / "global_step_30").mkdir()
    assert [name for name, _ in status(run).artifacts] == ["policy", "checkpoints"]


def test_an_observer_sees_what_is_new_without_reading_all_again(made: Made) -> None:
    run = made(trials=({"step": 1},))
    observer = Observer(run)
    assert observer.read().trials_done == 1
    append_trial(run, trial_row(step=1, time=utc_now()))
    assert observer.read().trials_done == 2


@pytest.mark.fault
def test_watching_ends_with_the_run(launch_run: Launch) -> None:
    run = launch_run(steps=2)
    seen = list(watch(run, 0.1))
    assert seen[-1].state == "finished"
    assert seen[-1].step == 2


@pytest.mark.fault
def test_a_stopped_run_is_no_longer_live(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    made_pids(run)
    until(lambda: status(run).state == "running")
    stop(run, "test")
    now = status(run)
    assert now.state == "stopped"
    assert now.next_action == f"liverl resume {run.name}"
