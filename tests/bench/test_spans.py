"""Intervals of time, checked by hand."""

from __future__ import annotations

import pytest

from bench.spans import bounds, exclusive, length, merge, union_length


def test_overlapping_and_touching_intervals_become_one() -> None:
    assert merge([(5, 6), (0, 2), (1, 3), (3, 4)]) == [(0, 4), (5, 6)]


def test_an_interval_inside_another_adds_nothing() -> None:
    assert union_length([(0, 10), (2, 3), (4, 9)]) == 10


def test_empty_and_reversed_intervals_are_dropped() -> None:
    assert merge([(1, 1), (3, 2)]) == []
    assert length([(3, 2)]) == 0


def test_the_sum_counts_what_overlaps_twice_and_the_union_once() -> None:
    spans = [(0.0, 4.0), (2.0, 6.0)]
    assert length(spans) == 8
    assert union_length(spans) == 6


def test_an_instant_of_two_kinds_goes_to_the_first_kind() -> None:
    seconds = exclusive({"generation": [(0, 4)], "command": [(3, 6)], "sandbox": [(0, 1), (8, 9)]})
    assert seconds == {"generation": 4, "command": 2, "sandbox": 1}


def test_exclusive_seconds_add_up_to_the_union() -> None:
    spans = {"a": [(0.0, 2.5), (4.0, 5.0)], "b": [(2.0, 4.5)], "c": [(1.0, 7.0)]}
    every = [span for kind in spans.values() for span in kind]
    assert sum(exclusive(spans).values()) == pytest.approx(union_length(every))


def test_bounds_are_the_first_start_and_the_last_end() -> None:
    assert bounds([(2, 9), (1, 3), (4, 5)]) == (1, 9)
    assert bounds([]) is None
