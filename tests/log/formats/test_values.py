"""One number as programs print it."""

from __future__ import annotations

import pytest

from liverl.log.formats.values import BEYOND, number, with_comma


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5), ("1,234", 1234), ("1,234,567.5", 1234567.5), ("0,31", 0.31), ("-12,5", -12.5), ("0,123", 0.123),
        ("1,5e-06", 1.5e-6), ("12,5 s", 12.5), ("1,234 tokens", 1234), ("np.float64(0.5)", 0.5), ("nan", BEYOND),
        ("1,2,3", None), ("a, b", None), ("", None), ("54.6M", 5.46e7), ("12K", 12000), ("1.5B", 1.5e9), ("M", None),
        ("1_000", 1000), ("82_", None), ("8__2", None),
    ],
)  # fmt: skip
def test_a_comma_is_a_point_where_it_parts_no_thousands(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("30,262", 30.262), ("1.234,5", 1234.5), ("12.5", 12.5), ("nan", BEYOND), ("a,b", None)],
)
def test_in_a_table_that_writes_commas_each_is_a_point(text: str, value: float | None) -> None:
    assert with_comma(text) == value
