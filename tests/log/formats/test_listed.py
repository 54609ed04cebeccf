"""Metrics as lists of values."""

from __future__ import annotations

import numpy as np
import pytest

from liverl.log.formats.listed import listed_rows
from liverl.log.series import Series
from tests.log.formats.test_tables import column


def listed(text: str) -> Series:
    return listed_rows(text.encode()).series()


def test_lists_of_equal_length_are_columns() -> None:
    found = listed(
        "steps = [10, 20, 30, 40]\nrewards = [0.1, 0.2, 0.3, nan]\nentropy = [0.4, 0.3, None, 0.1]\n"
    )
    assert found.steps.tolist() == [10, 20, 30, 40]
    assert column(found, "critic/score/mean")[:3] == [0.1, 0.2, 0.3]
    assert np.isinf(found.columns["critic/score/mean"][3]) and np.isnan(found.columns["actor/entropy"][2])


@pytest.mark.parametrize(
    "name",
    [
        "grad_norms",
        "grad norm",
        "grad_norm_history",
        "train_grad_norm",
        "all_grad_norms",
        "'grad_norm'",
        "`grad_norm`",
    ],
)
def test_a_list_is_known_by_what_it_is_of(name: str) -> None:
    found = listed(f"{name}: [1.5, 2.5, 3.5,\n 4.5]\nlosses: [0.1, 0.2, 0.3, 0.4]\n")
    assert column(found, "actor/grad_norm") == [1.5, 2.5, 3.5, 4.5] and found.has("actor/pg_loss")


def test_the_way_that_a_metric_went_is_a_list() -> None:
    found = listed("- entropy: 0.4 -> 0.3 -> 0.2 -> 0.01\n- reward 0.1 → 0.2 → 0.3 → 0.3\n")
    assert found.steps.tolist() == [1, 2, 3, 4] and column(found, "actor/entropy") == [0.4, 0.3, 0.2, 0.01]


@pytest.mark.parametrize(
    "text",
    [
        "rewards = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]\n",
        "rewards = [0.1, 0.2, 0.3]\n",
        "rewards: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.7, 0.9]\nrewards: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.7, 0.9]\n",
        "rewards: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.7, 0.9]\n"
        + "INFO the engine is ready to take requests\n" * 5,
        "cudagraph_capture_sizes: [1, 2, 4, 8, 16, 24]\n",
        "betas = [0.9, 0.95, 0.9, 0.9]\nlr = [0.1, 0.2, 0.3, 0.4]\n",
        "step 1 -> step 2 -> step 3 -> 4 -> 5 -> 6\n",
        "steps = [0.5, 1, 2, 3]\nrewards = [0.1, 0.2, 0.3, 0.4]\n",
    ],
)
def test_the_samples_of_a_batch_and_settings_are_no_rows(text: str) -> None:
    assert len(listed(text)) == 0
