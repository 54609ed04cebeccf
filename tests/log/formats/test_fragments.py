"""Objects over several lines that are no document."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from liverl.log.formats.fragments import MOST_BYTES, fragment_rows


def rows(count: int, **more: float) -> list[str]:
    each = [
        {"kl": round(0.01 * n, 6), "reward": round(n / 10, 6), "step": n} | more for n in range(1, count + 1)
    ]
    return [json.dumps(row, indent=2) for row in each]


def test_objects_in_a_row_are_rows_and_nan_is_one_of_their_values() -> None:
    text = "{}\nand then\n{}\n".format(*rows(1, grad_norm=float("nan")), rows(2)[1])
    found = fragment_rows(text.replace("\n", "\r\n").encode()).series()
    assert found.steps.tolist() == [1, 2]
    assert found.columns["critic/score/mean"].tolist() == [0.1, 0.2]
    assert not np.isfinite(found.columns["actor/grad_norm"][0])


def test_a_piece_keeps_its_first_and_its_last_row_only_where_their_step_is_in_it() -> None:
    whole = ",\n".join(rows(4))
    behind_the_brace = whole[2:]
    found = fragment_rows(behind_the_brace.encode()).series()
    assert found.steps.tolist() == [1, 2, 3, 4]
    # The last row's step, which comes last, is gone.
    found = fragment_rows(whole[: whole.rindex('"step"')].encode()).series()
    assert found.steps.tolist() == [1, 2, 3]


def test_rows_without_any_step_are_counted() -> None:
    text = "\n".join(json.dumps({"kl": 0.1, "reward": n / 10}, indent=1) for n in range(3))
    found = fragment_rows(text.encode()).series()
    assert found.columns["critic/score/mean"].tolist() == [0, 0.1, 0.2]
    assert all(before < after for before, after in pairwise(found.steps.tolist()))


@pytest.mark.parametrize(
    "text",
    [
        # A configuration has a learning rate and a coefficient.
        json.dumps({"learning_rate": 1e-6, "beta": 0.1, "num_generations": 8}, indent=2),
        # A sample has a reward of its own.
        json.dumps({"step": 1, "prompt": "2+2", "reward": 1.0, "kl": 0.1}, indent=2),
        json.dumps({"step": 1, "reward": 1.0, "kl": 0.1}),
        "{\n\n",
        "no braces",
        "{\n" + "\n" * 100_000,
    ],
)
def test_what_is_no_row_of_a_training_is_passed_over(text: str) -> None:
    assert not len(fragment_rows(text.encode()).series())


def test_a_longer_log_is_not_searched() -> None:
    assert not len(fragment_rows(rows(1)[0].encode() + b" " * MOST_BYTES).series())
