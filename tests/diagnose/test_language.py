"""Conditions over metrics and facts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from liverl.diagnose.language import Unmeasured, parse
from liverl.log.series import Series

NAN, INF = math.nan, math.inf


def truth(text: str, facts: dict[str, object] | None = None, **columns: list[float]) -> list[int]:
    """Where a condition holds; a column's underscore stands for a slash."""
    table = {name.replace("_", "/", 1): values for name, values in columns.items()}
    count = max(map(len, table.values()), default=0)
    series = Series.of(range(1, count + 1), table)
    return [int(each) for each in parse(text).over(series, facts or {})]  # type: ignore[arg-type]


def test_a_metric_is_compared_step_by_step() -> None:
    assert truth("'a/x' > 2", a_x=[1, 2, 3, 4]) == [0, 0, 1, 1]
    assert truth("1 < 'a/x' <= 3", a_x=[1, 2, 3, 4]) == [0, 1, 1, 0]


def test_two_metrics_are_compared_with_each_other() -> None:
    assert truth("'a/x' == 'a/y'", a_x=[0, 0, 1], a_y=[0, 1, 1]) == [1, 0, 1]


def test_what_was_not_measured_makes_nothing_true() -> None:
    assert truth("'a/x' < 5", a_x=[1, NAN, 1]) == [1, 0, 1]
    assert truth("'a/x' != 5", a_x=[1, NAN, 5]) == [1, 0, 0]


def test_what_is_not_finite_is_told_from_what_is_missing() -> None:
    assert truth("nonfinite('a/x')", a_x=[1, INF, NAN]) == [0, 1, 0]
    assert truth("measured('a/x')", a_x=[1, INF, NAN]) == [1, 1, 0]


def test_and_or_not_join_conditions() -> None:
    assert truth("'a/x' > 1 and not 'a/x' > 2 or 'a/x' == 4", a_x=[1, 2, 3, 4]) == [0, 1, 0, 1]


def test_a_runs_own_start_is_the_median_of_its_first_ten_values_known_from_the_fifth_on() -> None:
    values = [1.0] * 10 + [9.0] * 3
    assert truth("'a/x' > 2 * early('a/x')", a_x=values) == [0] * 10 + [1] * 3
    assert truth("'a/x' == early('a/x')", a_x=values[:6]) == [0, 0, 0, 0, 1, 1]


def test_what_a_run_is_used_to_does_not_know_the_value_itself() -> None:
    assert truth("'a/x' > 5 * usual('a/x')", a_x=[1, 1, 1, 1, 1, 9, 9]) == [0, 0, 0, 0, 0, 1, 1]


def test_a_smoothed_value_does_not_follow_one_spike() -> None:
    assert truth("smooth('a/x') > 2", a_x=[1, 1, 9, 1, 1, 9, 9, 9]) == [0, 0, 0, 0, 0, 0, 1, 1]


def test_windows_count_rows_in_which_a_metric_was_measured() -> None:
    sparse = [5.0, NAN, NAN, 4.0, NAN, NAN, 3.0, NAN]
    assert truth("trend('a/x', 3) < -0.9", a_x=sparse) == [0, 0, 0, 0, 0, 0, 1, 0]
    assert truth("rows('a/x') >= 2", a_x=sparse) == [0, 0, 0, 1, 1, 1, 1, 1]


def test_what_a_value_was_before_it_stayed_as_it_is() -> None:
    assert truth("before('a/x') > 4", a_x=[1, 5, 0, 0, NAN, 0, 2]) == [0, 0, 1, 1, 0, 1, 0]


def test_how_many_rows_ago_a_metric_was_told() -> None:
    assert truth("missed('a/x') >= 2", a_x=[NAN, NAN, 1, NAN, NAN, NAN, 2]) == [0, 0, 0, 0, 1, 1, 0]
    assert truth("missed('b/y') > 0", a_x=[1, 2]) == [0, 0]


def test_the_final_value_is_known_in_every_row() -> None:
    assert truth("final('a/x') < 1 and 'a/y' > 0", a_x=[2, NAN, 0.5, NAN], a_y=[1, 0, 1, 1]) == [1, 0, 1, 1]


def test_the_latest_value_stands_until_there_is_another() -> None:
    assert truth("latest('a/x') > 1", a_x=[NAN, 2, NAN, NAN, 1, NAN]) == [0, 1, 1, 1, 0, 0]


def test_more_decimals_than_a_console_prints() -> None:
    assert truth("fine('a/x', 3)", a_x=[0.25, 0.312, 0.3125, 0, NAN, 12.0001]) == [0, 0, 1, 0, 0, 1]


def test_a_trend_of_equal_values_is_none() -> None:
    assert truth("trend('a/x', 4) == 0", a_x=[2, 2, 2, 2]) == [0, 0, 0, 1]


def test_equal_values_share_their_rank_in_a_trend() -> None:
    """In the order of time they would be a rise: of a reward that is the same but in one row, nearly a perfect one."""
    assert truth("abs(trend('a/x', 6)) < 0.2", a_x=[1, 1, 0, 1, 1, 1])[-1] == 1
    assert truth("trend('a/x', 5) > 0.85", a_x=[0, 0, 1, 1, 2])[-1] == 1


def test_the_share_of_rows_in_which_a_condition_held() -> None:
    assert truth("share('a/x' > 1, 4) >= 0.5", a_x=[0, 2, 0, 2, 0, 0]) == [0, 0, 0, 1, 1, 0]


def test_a_few_rows_picked_out_of_many_steps_are_each_a_state_of_the_run() -> None:
    picked = Series.of([1, 100, 200, 300], {"a/x": [1.0, 5.0, 5.0, 9.0]})
    assert list(parse("smooth('a/x') > 3 * early('a/x')").over(picked, {})) == [0, 1, 1, 1]
    assert list(parse("'a/x' > 1.5 * usual('a/x')").over(picked, {})) == [0, 1, 0, 1]
    assert list(parse("'a/x' > 3 * lowest('a/x')").over(picked, {})) == [0, 1, 1, 1]
    assert list(parse("best('a/x') >= 9").over(picked, {})) == [0, 0, 0, 1]
    assert list(parse("change('a/x', 100) > 3").over(picked, {})) == [0, 1, 0, 1]
    begun = Series.of([1, 2, 3, 4], {"a/x": [1.0, 5.0, 5.0, 9.0]})
    assert list(parse("smooth('a/x') > 3 * early('a/x')").over(begun, {})) == [0, 0, 0, 0]


def test_facts_are_names() -> None:
    assert parse("alive and silence_s > 5 * step_s").holds({"alive": True, "silence_s": 60.0, "step_s": 10.0})
    assert not parse("ended == 'cut'").holds({"ended": "finished"})
    assert parse("ended != 'cut'").holds({"ended": "finished"})


def test_a_missing_metric_or_fact_is_unmeasured() -> None:
    with pytest.raises(Unmeasured, match="b/y"):
        truth("'a/x' > 1 and 'b/y' > 1", a_x=[1])
    with pytest.raises(Unmeasured, match="alive"):
        parse("alive").holds({})


def test_an_or_needs_only_one_of_its_parts_to_be_measured() -> None:
    assert parse("lines < 30 or finished_said").holds({"lines": 5})
    assert not parse("lines < 30 or finished_said").holds({"lines": 50})
    with pytest.raises(Unmeasured):
        parse("lines < 30 and finished_said").holds({"lines": 5})


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "'a'.upper()",
        "[1, 2]",
        "lambda: 1",
        "early('a', count=3)",
        "1 if 2 else 3",
        "'a' in 'b'",
        "f()",
        "",
    ],
)
def test_nothing_else_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match="not"):
        parse(text)


def test_every_function_keeps_the_rows() -> None:
    from liverl.diagnose.functions import FUNCTIONS

    values = np.array([1.0, NAN, 3.0, INF, 5.0, 6.0, 7.0, 8.0, 9.0, 2.0, 1.0])
    series = Series.of(range(11), {"a/x": values})
    for name in FUNCTIONS:
        second = ", 3" if name in ("ago", "change", "share", "trend", "max", "min") else ""
        assert len(parse(f"{name}('a/x'{second}) > 0").over(series, {})) == 11, name


def test_rolling_medians_of_many_rows_are_those_of_few() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=20_000)
    series = Series.of(range(20_000), {"a/x": values})
    found = parse("smooth('a/x', 50) > 0").over(series, {})
    for row in (10, 49, 8192, 8193, 19_999):
        window = values[max(0, row - 49) : row + 1]
        assert found[row] == float(np.median(window) > 0)


def test_what_is_earned_is_a_reward_where_it_is_above_0() -> None:
    assert truth("earned('a/x') == 'a/x'", a_x=[0.2, 0.5, 0.4, -0.1, 0.6]) == [1] * 5
    assert truth("earned('a/x') == 'a/x'", a_x=[0.0] * 5) == [1] * 5


def test_of_a_reward_below_0_a_share_is_told_from_half_as_far_down_again_as_its_low_rows() -> None:
    falls = [-0.2] * 6 + [-1.0] * 6
    assert truth("earned('a/x') < 0.5 * best(earned('a/x'))", a_x=falls) == [0] * 6 + [1] * 6
    # A single outlier is no floor.
    assert truth("earned('a/x') == 'a/x'", a_x=[0.4] * 19 + [-50.0]) == [1] * 20
