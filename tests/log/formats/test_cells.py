"""One cell of a table: a number, a step or a name, whatever people write around it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liverl.log.formats.cells import key_of, step_of, value_of


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_any_cell_is_a_number_or_none(text: str) -> None:
    assert value_of(text) is None or isinstance(value_of(text), float)
    assert step_of(text) is None or isinstance(step_of(text), int)
    assert isinstance(key_of(text), str)


@settings(max_examples=100, deadline=None)
@given(st.floats(-1e6, 1e6), st.sampled_from(["{}", "**{}**", " {} ", "`{}`", "{} (best)", "{} ± 0.1"]))
def test_a_number_is_told_whatever_stands_around_it(value: float, form: str) -> None:
    assert value_of(form.format(value)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("cell", "step"),
    [
        ("200–400", 400), ("1-100", 100), ("16-18", 18), ("600–末", 601), ("steps 10k-20k", 20000), ("1.2M", 1200000),
        ("1.37M", 1370000), ("50K", 50000), ("91+", 92), ("1.5", None), ("a-b", None), ("+", None),
    ],
)  # fmt: skip
def test_a_step_may_be_the_last_of_many_or_have_a_unit(cell: str, step: int | None) -> None:
    assert step_of(cell) == step


@pytest.mark.parametrize(
    ("cell", "value"),
    [("5.9B", 5.9e9), ("12.4T", 1.24e13), ("-1.5M", -1.5e6), ("**-3,009**", -3009.0), ("2 K", 2000.0)],
)
def test_a_value_may_have_a_unit(cell: str, value: float) -> None:
    assert value_of(cell) == pytest.approx(value)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.05-0.10", 0.075),
        ("62–65%", 0.635),
        ("降到0.4-0.5", 0.45),
        ("spike到15-23", 19.0),
        ("维持 0.32", 0.32),
        ("0.08（持续下降）", 0.08),
        ("**急剧上升到 1500**", 1500.0),
        ("up to 15", 15.0),
        ("5-15持续高位", 10.0),
        ("中等", None),
        ("2024-05-01", None),
        ("qwen2.5-7b", None),
        ("3/64", None),
        ("step 100", None),
    ],
)
def test_a_cell_may_tell_its_value_in_words(cell: str, value: float | None) -> None:
    assert value_of(cell) == (pytest.approx(value) if value is not None else None)


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("KL(pi, sft) (sum over tokens)", "KL(sum)"),
        ("KL(SFT 대비, 합)", "KL(sum)"),
        ("KL(对ref)", "KL"),
        ("win vs SFT (GPT-4o-mini)", "win vs SFT"),
        ("reward (max)", "reward (max)"),
        ("accuracy (val)", "accuracy (val)"),
    ],
)
def test_what_stands_in_brackets_behind_a_name_is_left_out_unless_it_makes_another_of_it(
    header: str, key: str
) -> None:
    assert key_of(header) == key
