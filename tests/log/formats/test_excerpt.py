"""Metrics in the sentences and bullets that somebody pastes into a thread."""

from __future__ import annotations

import numpy as np
import pytest

from liverl.log.formats.excerpt import excerpt_rows
from liverl.log.series import Series
from tests.log.formats.test_tables import column


def said(text: str) -> Series:
    return excerpt_rows(text.encode()).series()


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("The run diverged: KL exploded to 880 by step 60.\n", "actor/kl_loss", 880.0),
        ("- the gradient norm reached 31.5 and it went on\n", "actor/grad_norm", 31.5),
        ("`gen_kl_error` 0.31 while the reward is 0.2\n", "rollout_corr/k3_kl", 0.31),
        ("so far entropy=0.42, grad_norm=0.8\n", "actor/entropy", 0.42),
        ("the loss was zero and the grad_norm was zero\n", "actor/grad_norm", 0.0),
        (
            "the loss was zero, and in every batch of the two hundred the\ngrad_norm was 0.7\n",
            "actor/grad_norm",
            0.7,
        ),
        ("grad_norm一直为0，loss也是0\n", "actor/grad_norm", 0.0),
        ("训练到step 80时 kl_loss 突然达到35.2。正常范围应低于 0.1\n", "actor/kl_loss", 35.2),
        (
            "train_rollout_logprob_abs_diff这个指标异常的高，在0.2~0.4之间\n",
            "rollout_corr/logprob_abs_diff",
            0.2,
        ),
        ("the kl is between 30 and 40\n", "actor/kl_loss", 30.0),
    ],
)
def test_a_sentence_tells_a_metric(text: str, name: str, value: float) -> None:
    assert column(said(text), name) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "Policy Loss suddenly changed to nan, reward fell to 0.\n",
        "Its loss is NaN.\n",
        "NaN loss at step 31, whatever the seed\n",
        "grad_norm and loss are both Nan\n",
    ],
)
def test_what_is_not_finite_is_told_as_measured(text: str) -> None:
    assert np.isinf(column(said(text), "actor/pg_loss")).all()


def test_each_step_that_is_named_has_a_row() -> None:
    found = said("kl 0.02 at step 10.\nkl 3.1 at step 40.\nreward 0.1 at step 40.\n")
    assert found.steps.tolist() == [10, 40]
    assert column(found, "actor/kl_loss") == [0.02, 3.1]


@pytest.mark.parametrize(
    "text",
    [
        "rollout_probs_diff_mean should be 0.004 here\n",
        "a healthy run has entropy 0.3\n",
        "if kl > 10 stop the run\n",
        "grad_norm stays in a range of 0.2 to 0.9\n",
        "grad_norm=0.652/0.716\n",
        "the reward was 0.4 and nothing else is known\n",
        "learning_rate 1e-6, batch size 64\n",
        "kl正常范围低于0.1\n",
        "grad_norm 2024-01-02\n",
        "kl is 1 for an incorrect answer\n",
        "line\n" * 60 + "kl is 900\n",
    ],
)
def test_what_should_be_or_is_no_metric_of_a_training_is_no_row(text: str) -> None:
    assert not len(said(text))


def test_what_a_metric_is_compared_with_is_another_run_s() -> None:
    assert column(
        said("the entropy is 0.12, compared to entropy 0.5 in the other run\n"), "actor/entropy"
    ) == [0.12]


def test_a_table_of_metrics_by_name_is_one_row() -> None:
    text = "| metric | min | mean |\n|---|---|---|\n| `grad_norm` | 0.1 | 0.7 |\n| entropy | 0.2 | 0.4 |\n"
    found = said(text)
    assert column(found, "actor/grad_norm") == [0.7] and column(found, "actor/entropy") == [0.4]
    assert column(said(text.replace("mean", "value")), "actor/entropy") == [0.4]


def test_a_table_of_several_runs_tells_none() -> None:
    text = "| metric | run a | run b |\n|---|---|---|\n| grad_norm | 0.1 | 4.0 |\n| entropy | 0.2 | 0.6 |\n"
    assert not len(said(text))


ENDS = """| metric | {begin} | {end} | change |
|---|---:|---:|---:|
| reward | 0.61 | 0.38 | -38% |
| **kl** | 0.004 | **0.25** | x62 |
| completions/clipped_ratio | 5% | 17% | |
"""


@pytest.mark.parametrize(
    ("begin", "end"),
    [("start", "end"), ("Initial", "Final (step 900)"), ("초반", "최근(붕괴 후)"), ("**first**", "now")],
)
def test_a_table_with_a_column_for_a_run_s_beginning_and_one_for_its_end_is_two_rows(
    begin: str, end: str
) -> None:
    series = said(ENDS.format(begin=begin, end=end))
    assert column(series, "critic/score/mean") == [0.61, 0.38] and column(series, "actor/kl_loss") == [
        0.004,
        0.25,
    ]
    assert column(series, "response_length/clip_ratio") == [0.05, 0.17]


@pytest.mark.parametrize(
    ("begin", "end"), [("before", "after"), ("ours", "final"), ("end", "start"), ("start", "mid")]
)
def test_columns_of_two_runs_are_no_beginning_and_end(begin: str, end: str) -> None:
    assert not len(said(ENDS.format(begin=begin, end=end)))


def test_a_printed_configuration_tells_no_metric() -> None:
    config = (
        "(TaskRunner pid=7) {'actor_rollout_ref': {'actor': {'checkpoint': {'save_contents': ['model']},\n"
        "(TaskRunner pid=7)                                  'clip_ratio': 0.2,\n"
        "(TaskRunner pid=7)                                  'use_kl_loss': True}},\n"
        "(TaskRunner pid=7)  'trainer': {'nnodes': 1}}\n"
    )
    assert not len(said(config + "AssertionError: it is refused\n"))
    assert column(said(config + "Then entropy=0.42, grad_norm=0.8\n"), "actor/entropy") == [0.42]
