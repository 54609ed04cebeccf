"""Means and their intervals, checked by hand and against published values."""

from __future__ import annotations

import pytest

from bench.estimate import Interval, are_apart, bootstrap, bootstrap_rise, estimate, wilson


def test_wilson_gives_the_published_interval() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, score method without continuity correction.
    found = wilson(81 / 263, 263)
    assert found.low == pytest.approx(0.2553, abs=5e-5)
    assert found.high == pytest.approx(0.3662, abs=5e-5)


def test_wilson_of_no_success_begins_at_zero_and_has_a_width() -> None:
    # The same table: 0 of 20.
    found = wilson(0.0, 20)
    assert found.low == 0.0
    assert found.high == pytest.approx(0.1611, abs=5e-5)


def test_the_bootstrap_of_tasks_that_all_agree_has_no_width() -> None:
    assert bootstrap({"a": [0, 1], "b": [1, 0], "c": [0, 1]}) == Interval(0.5, 0.5)


def test_the_bootstrap_draws_tasks_and_not_trials() -> None:
    # One task always solved, one never: a draw of two is 0, 1/2 or 1, the extremes a quarter of the time each.
    assert bootstrap({"solved": [1] * 100, "unsolved": [0] * 100}) == Interval(0.0, 1.0)


def test_the_bootstrap_has_the_width_of_the_normal_approximation_with_many_tasks() -> None:
    rewards = {f"task-{number}": [float(number % 2)] for number in range(400)}
    found = bootstrap(rewards)
    half = 1.96 * 0.5 / 20
    assert found.low == pytest.approx(0.5 - half, abs=0.01)
    assert found.high == pytest.approx(0.5 + half, abs=0.01)


def test_the_bootstrap_is_the_same_each_time() -> None:
    rewards = {"a": [0.0, 1.0], "b": [1.0], "c": [0.0, 0.0]}
    assert bootstrap(rewards) == bootstrap(dict(reversed(rewards.items())))


def test_a_rise_that_every_task_shares_is_certain_though_tasks_differ() -> None:
    before = {"easy": [0.5, 0.5], "hard": [0.0, 0.0]}
    after = {"easy": [1.0, 1.0], "hard": [0.5, 0.5]}
    assert bootstrap_rise(before, after) == Interval(0.5, 0.5)


def test_a_rise_is_over_the_tasks_that_were_measured_both_times() -> None:
    assert bootstrap_rise({"a": [0.0], "lost": [1.0]}, {"a": [1.0]}) == Interval(1.0, 1.0)


def test_the_mean_is_over_trials() -> None:
    found = estimate({"a": [1.0, 1.0, 1.0], "b": [0.0]})
    assert (found.mean, found.trials, found.tasks) == (0.75, 4, 2)


def test_there_is_no_estimate_without_a_trial() -> None:
    with pytest.raises(ValueError, match="no scored trial"):
        estimate({"a": []})


def test_intervals_that_touch_are_not_apart() -> None:
    assert are_apart(Interval(0.1, 0.3), Interval(0.4, 0.6))
    assert not are_apart(Interval(0.1, 0.4), Interval(0.4, 0.6))
    assert not are_apart(Interval(0.4, 0.6), Interval(0.1, 0.3))
