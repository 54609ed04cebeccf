"""What the commands say of a finished run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from liverl.record.trials import TrialRow, read_trials
from tests.conftest import STEPS, FinishedRun

pytestmark = pytest.mark.run


def answer(finished: FinishedRun, *arguments: str) -> Any:
    done = finished.site.liverl(*arguments, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def longest(finished: FinishedRun) -> TrialRow:
    return max(read_trials(finished.run), key=lambda row: row.turns)


def mean_reward(finished: FinishedRun, step: int) -> float:
    rewards = [
        row.reward or 0.0 for row in read_trials(finished.run) if (row.split, row.step) == ("val", step)
    ]
    return sum(rewards) / len(rewards)


def test_status_without_a_name_speaks_of_the_run(finished_run: FinishedRun) -> None:
    status = answer(finished_run, "status")
    assert (status["run"], status["state"]) == (finished_run.run.name, "finished")
    assert (status["step"], status["steps_total"]) == (STEPS, STEPS)
    validation = status["validation"]
    assert validation["first"] == pytest.approx(mean_reward(finished_run, 0))
    assert validation["last"] == pytest.approx(mean_reward(finished_run, STEPS))
    assert validation["trials"] == 4
    assert status["next"].startswith("liverl ")


def test_status_says_the_same_to_a_person(finished_run: FinishedRun) -> None:
    done = finished_run.site.liverl("status", finished_run.run.name)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{finished_run.run.name}  finished")
    assert f"step        {STEPS} of {STEPS}" in done.stdout


def test_trials_are_listed_by_step_split_task_and_outcome(finished_run: FinishedRun) -> None:
    rows = read_trials(finished_run.run)
    filters: dict[tuple[str, ...], Any] = {
        (): lambda row: True,
        ("--step", "2"): lambda row: row.step == 2,
        ("--split", "val"): lambda row: row.split == "val",
        ("--split", "val", "--step", "0"): lambda row: row.split == "val" and row.step == 0,
        ("--task", "paint-d"): lambda row: row.task == "paint-door",
        ("--outcome", "solved"): lambda row: row.outcome == "solved",
        ("--failed",): lambda row: row.outcome not in ("solved", "unsolved"),
    }
    for arguments, wanted in filters.items():
        found = answer(finished_run, "trials", "--last", "0", *arguments)
        assert found["total"] == len(rows)
        assert [row["trial"] for row in found["trials"]] == [row.trial for row in rows if wanted(row)]


def test_the_list_for_a_person_ends_with_the_next_command(finished_run: FinishedRun) -> None:
    done = finished_run.site.liverl("trials", "--last", "3")
    *_, third, _, counted, following = done.stdout.splitlines()
    assert read_trials(finished_run.run)[-2].trial in third
    assert counted.startswith("56 of 56 trials, the last 3 shown; ")
    assert "liverl show " in following


def test_show_tells_a_trial_from_its_first_message_to_its_reward(finished_run: FinishedRun) -> None:
    row = longest(finished_run)
    done = finished_run.site.liverl("show", row.trial)
    assert done.returncode == 0
    for part in (
        f"{row.trial}  {row.outcome}, reward {row.reward:.2f}",
        "── system (masked)",
        "── user (masked)\nWrite the colour of the",
        "── assistant (sampled)\n$ ",
        "── tool (masked)",
        "── verifier\ngraded",
        "tokens",
        "seconds",
    ):
        assert part in done.stdout, part


def test_show_gives_programs_the_same(finished_run: FinishedRun) -> None:
    row = longest(finished_run)
    view = answer(finished_run, "show", row.trial)
    assert view["trial"] == row.trial
    assert sum(turn.get("sampled", False) for turn in view["turns"]) == row.turns
    assert sum(segment["sampled"] for segment in view["tokens"]) == row.completion_tokens
    # A file that the policy has not written is told by the test's own `cat`.
    assert view["verifier"].splitlines()[0] == "graded"


def test_show_has_what_commands_printed(finished_run: FinishedRun) -> None:
    rows = sorted(read_trials(finished_run.run), key=lambda row: -row.turns)
    views = (answer(finished_run, "show", row.trial) for row in rows)
    # A command may print nothing, and so may every command of a trial.
    assert any(
        command.get("output") for view in views for turn in view["turns"] for command in turn["commands"]
    )


def test_a_finished_run_is_not_resumed(finished_run: FinishedRun) -> None:
    done = finished_run.site.liverl("resume", finished_run.run.name)
    assert done.returncode == 1
    assert "has made all its steps" in done.stderr


def test_an_unknown_trial_is_named(finished_run: FinishedRun) -> None:
    done = finished_run.site.liverl("show", "no-such-trial")
    assert done.returncode == 4
    assert "no-such-trial" in done.stderr and "next:" in done.stderr
