"""From rows to numbers."""

from __future__ import annotations

import numpy as np

from liverl.log.formats.picking import block
from liverl.log.formats.values import BEYOND


def test_a_nan_that_is_told_as_text_was_measured() -> None:
    told = block([(1.0, "NaN"), (2.0, None), (3.0, "inf")], 2)
    assert told[0, 1] == BEYOND and np.isnan(told[1, 1]) and told[2, 1] >= BEYOND


def test_a_column_of_words_among_numbers_costs_the_others_nothing_of_what_they_tell() -> None:
    rows = [
        (1, "2026-11-21T13:00:00Z", 0.5, "nan"),
        (2, "2026-11-21T13:00:20Z", None, "3"),
        (3, "", 10**400, [1]),
    ]
    told = block(rows, 4)
    assert told[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(told[:, 1]).all()
    assert told[0, 2] == 0.5 and np.isnan(told[1, 2]) and told[2, 2] == BEYOND
    assert told[0, 3] == BEYOND and told[1, 3] == 3.0 and np.isnan(told[2, 3])


def test_a_row_of_one_number_and_words() -> None:
    assert block([("a", 1.5), ("b", 2.5)], 2)[:, 1].tolist() == [1.5, 2.5]


def test_a_nan_as_text_is_seen_behind_many_values_that_nobody_told() -> None:
    rows: list[tuple[object, ...]] = [("2026-11-21T13:00:00Z", None, 0.5)] * 100
    told = block([*rows, ("2026-11-21T13:40:00Z", "NaN", 0.5), ("", "Infinity", 0.5)], 3)
    assert np.isnan(told[:100, 1]).all() and told[100, 1] == BEYOND and told[101, 1] == BEYOND
