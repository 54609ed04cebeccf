"""Metrics of which the beginning and the end are told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liverl.log.formats.ends import end_rows
from liverl.log.formats.tables import read_table
from liverl.log.series import Series
from tests.log.formats.test_tables import column


def ends(text: str) -> Series:
    return end_rows(text.encode()).series()


def table(path: Path, text: str) -> Series:
    path.write_text(text, encoding="utf-8")
    told = read_table(path)
    assert told is not None
    return told.series


@pytest.mark.parametrize(
    "text",
    [
        "kl: 0.002 -> 2.7\nreward: 0.61 -> 0.12\n",
        "- kl 0.002 → 2.7\n- reward 0.61 → 0.12\n",
        "kl from 0.002 to 2.7\nreward from 0.61 to 0.12\n",
        "kl = 0.002 => 2.7, a hundred steps\nreward = 0.61 => 0.12\n",
    ],
)
def test_a_way_is_a_row_for_its_beginning_and_one_for_its_end(text: str) -> None:
    found = ends(text)
    assert found.steps.tolist() == [1, 2]
    assert column(found, "actor/kl_loss") == [0.002, 2.7]
    assert column(found, "critic/score/mean") == [0.61, 0.12]


def test_the_steps_may_be_told_and_what_is_between() -> None:
    found = ends("step: 10 -> 100 -> 200\ngrad_norm: 0.4 -> 88 -> 54.6M\nentropy: 0.5 -> 0.2\n")
    assert found.steps.tolist() == [10, 100, 200]
    assert column(found, "actor/grad_norm") == [0.4, 88, 54.6e6] and not found.has("actor/entropy")


@pytest.mark.parametrize(
    "text",
    [
        "reward: 0.1 -> 0.4\n",
        "lr: 1e-6 -> 5e-7\nsome text\nand more of it\nand more\n",
        "version 0.8 -> 0.9\ntorch 2.6 -> 2.7\n",
        "I moved kl from 0.1 to 0.2 and then wrote\na lot about something\nthat is no metric\n",
    ],
)
def test_other_text_tells_none(text: str) -> None:
    assert not len(ends(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"steps": 200, "kl": {"first": 0.001, "last": 1.5}, "reward": {"first": 0.4, "last": 0.1}}',
        '{"first": {"step": 1, "kl": 0.001, "reward": 0.4}, "last": {"step": 200, "kl": 1.5, "reward": 0.1}}',
        '{"global_step": 200, "before": {"kl": 0.001, "reward": 0.4}, "after": {"kl": 1.5, "reward": 0.1}}',
    ],
)
def test_a_document_of_first_and_last_values_is_two_rows(tmp_path: Path, text: str) -> None:
    found = table(tmp_path / "summary.json", text)
    assert found.steps.tolist() == [1, 200]
    assert column(found, "actor/kl_loss") == [0.001, 1.5] and column(found, "critic/score/mean") == [0.4, 0.1]


def test_an_end_that_is_not_finite_is_told(tmp_path: Path) -> None:
    text = '{"grad_norm": {"first": 0.4, "last": NaN}, "reward": {"first": 0.4, "last": 0.1}}'
    found = table(tmp_path / "summary.json", text)
    assert np.isinf(found.columns["actor/grad_norm"][1])
