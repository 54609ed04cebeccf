"""When a curve left its habit."""

from __future__ import annotations

import numpy as np

from liverl.diagnose.onset import onset

QUIET = [0.5, 0.52, 0.49, 0.51, 0.5, 0.48, 0.5, 0.53, 0.5, 0.49, 0.51, 0.5]


def test_a_ramp_begins_where_it_left_the_range_of_before() -> None:
    values = np.array([*QUIET, *(0.5 * 1.3**k for k in range(1, 14))])
    assert onset(values, len(values) - 1) == len(QUIET)


def test_a_fall_begins_as_a_rise_does() -> None:
    values = np.array([*QUIET, *(0.5 - 0.04 * k for k in range(1, 12))])
    assert onset(values, len(values) - 1) in (len(QUIET), len(QUIET) + 1)


def test_one_value_back_in_the_old_range_does_not_end_a_change() -> None:
    values = np.array([*QUIET, 2.0, 2.1, 1.9, 0.5, 2.2, 2.0, 2.3])
    assert onset(values, len(values) - 1) == len(QUIET)


def test_a_level_that_never_changed_begins_at_the_row_itself() -> None:
    assert onset(np.array(QUIET), 8) == 8
    assert onset(np.array([0.5] * 30), 20) == 20


def test_without_enough_values_before_nothing_is_said_of_earlier_rows() -> None:
    assert onset(np.array([1.0, 5.0, 9.0]), 2) == 2


def test_values_that_are_no_numbers_are_left_out() -> None:
    values = np.array([*QUIET, np.nan, 2.0, np.nan, 2.1, 2.2])
    assert onset(values, len(values) - 1) == len(QUIET) + 1
    assert onset(np.array([*QUIET, np.inf]), len(QUIET)) == len(QUIET)


def test_what_creeps_all_along_began_with_no_step_in_particular() -> None:
    values = np.array([*QUIET, *(0.5 + 0.1 * k for k in range(1, 60))])
    assert onset(values, len(values) - 1) == len(values) - 1


def test_of_a_few_values_a_change_began_with_the_first_that_is_far_off_and_stays() -> None:
    assert onset(np.array([4.0, 0.03, 0.03, 0.04]), 3) == 1
    assert onset(np.array([4.0, 0.03, 3.9, 0.04]), 3) == 3
    assert onset(np.array([4.0, 3.0, 2.0, 0.9]), 3) == 3
