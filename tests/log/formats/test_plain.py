"""Rows as somebody's own loop prints them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.log.formats.test_steps import column, series


@pytest.mark.parametrize(
    "value", ["tensor(0.25)", "tensor(0.25, device='cuda:0', grad_fn=<MeanBackward0>)", "np.float64(0.25)", "25.0%",
              "Array(0.25, dtype=float32)", '"0.25"', "+0.25", "2.5E-01"],
)  # fmt: skip
def test_a_value_is_the_same_whatever_stands_around_it(value: str) -> None:
    found = series("".join(f"step {step}: loss={value}, reward=0.5, kl={value}\n" for step in (1, 2)))
    assert column(found, "actor/pg_loss") == [0.25, 0.25] and column(found, "critic/score/mean") == [0.5, 0.5]


@pytest.mark.parametrize("value", ["nan", "NaN", "NAN", "-inf", ".nan", "Infinity", "nan%"])
def test_what_is_not_finite_has_many_spellings(value: str) -> None:
    found = series("".join(f"step {step}: loss: {value}, reward: 0.5, kl: 0.1\n" for step in (1, 2)))
    assert np.isinf(found.columns["actor/pg_loss"]).all()


@pytest.mark.parametrize(
    "head", ["[{}/30]", "[{:03d}]", "#{}", "s{}", "it {:>4}:", "{}/30 [===>...] -", "[sums] {:>4}/30 |"]
)
def test_what_counts_at_the_head_is_the_step(head: str) -> None:
    found = series(
        "".join(
            f"{head.format(at)} loss=0.1 reward=0.2 grad_norm=0.3 entropy=0.4 step_time=9\n"
            for at in (10, 20, 30)
        )
    )
    assert found.steps.tolist() == [10, 20, 30]


def test_a_rank_at_the_head_counts_nothing() -> None:
    found = series("".join(f"[0] loss=0.{at} reward=0.2 grad_norm=0.3 entropy=0.4\n" for at in (1, 2, 3)))
    assert found.steps.tolist() == [1, 2, 3] or found.steps.tolist() == [0, 1, 2]


def test_an_evaluation_between_the_rows_is_none_of_them() -> None:
    found = series(
        "".join(
            f"[train] step {at}: loss=0.1 kl=0.2 reward=0.3\n[eval] step {at}: loss=7 reward=0.{at}\n"
            for at in (1, 2)
        )
    )
    assert column(found, "actor/pg_loss") == [0.1, 0.1] and column(found, "critic/score/mean") == [0.3, 0.3]
    assert column(found, "val/score") == [0.1, 0.2]


@pytest.mark.parametrize(
    "row", ["    {:<24}{}", "| {:<20} | {} |", "  {:<20} : {}", "  {} ...... {}", "* **{}**: {}"]
)
def test_the_metrics_below_a_step_may_stand_in_columns(row: str) -> None:
    told = "".join(
        f"Step {at}/9:\n" + "".join(row.format(key, f"0.{at}") + "\n" for key in ("loss", "reward", "kl"))
        for at in (1, 2)
    )
    found = series(told)
    assert found.steps.tolist() == [1, 2] and column(found, "critic/score/mean") == [0.1, 0.2]


def test_a_long_line_of_pairs_below_a_step_is_its_row() -> None:
    more = ", ".join(f"time/part_{at}=0.{at}" for at in range(1, 30))
    found = series("".join(f"== Step {at} ==\nloss=0.1, reward=0.2, kl=0.{at}, {more}\n" for at in (1, 2)))
    assert column(found, "actor/kl_loss") == [0.1, 0.2]


@pytest.mark.parametrize(
    "row",
    [
        "step={0} reward=0.{0} kl=0.2\n    entropy=0.5 grad_norm=0.{0}\n    response_length=210\n",
        "step={0}, reward=0.{0},\nkl=0.2, entropy=0.5,\ngrad_norm=0.{0}, response_length=210\n",
        "step {0}: reward=0.{0} kl=0.2 response_length=210\nentropy=0.5 grad_norm=0.{0}\nreward=9 response_length=3\n",
    ],
)
def test_pairs_that_go_on_in_the_next_lines_are_one_row(row: str) -> None:
    found = series("".join(row.format(at) for at in (1, 2, 3)))
    assert found.steps.tolist() == [1, 2, 3]
    for name in ("critic/score/mean", "actor/grad_norm"):
        assert column(found, name) == [0.1, 0.2, 0.3]
    assert column(found, "actor/entropy") == [0.5] * 3 and column(found, "response_length/mean") == [210] * 3


def test_a_dict_over_several_lines_may_begin_with_any_key() -> None:
    found = series("".join(f"{{'kl': 0.{at},\n 'loss': 0.1,\n 'step': {at * 10}}}\n" for at in (1, 2)))
    assert found.steps.tolist() == [10, 20] and column(found, "actor/kl_loss") == [0.1, 0.2]


def test_a_table_may_stand_behind_a_logger_s_heads() -> None:
    head = "2026-03-04 08:00:00,123 INFO "
    found = series(
        f"{head}step  reward  grad_norm\n"
        + "".join(f"{head}   {at}     0.{at}        0.5\n" for at in (1, 2, 3))
    )
    assert found.steps.tolist() == [1, 2, 3] and column(found, "critic/score/mean") == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("key", ["Grad Norm", "gradNorm", "grad_norm", "GradNorm"])
def test_a_name_of_several_words_is_known_in_all_spellings(key: str) -> None:
    found = series("".join(f"{{'step': {at}, 'loss': 0.1, '{key}': 0.5}}\n" for at in (1, 2)))
    assert column(found, "actor/grad_norm") == [0.5, 0.5]


def test_the_bar_of_an_epoch_tells_rows_where_a_training_s_metrics_stand_in_it() -> None:
    bars = [
        f"Epoch 0:  10%|█  | {at}/30 [02:10<12:10,  0.02it/s, v_num=3, loss=0.1, kl=0.{at}]\n"
        for at in range(1, 6)
    ]
    found = series("".join(bars))
    assert found.steps.tolist() == [1, 2, 3, 4, 5] and column(found, "actor/kl_loss") == [
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
    ]
    assert len(series("".join(bars[:4]))) == 0  # which says where a run stands, and not how it fares


def test_a_row_whose_line_ends_with_a_comma_goes_on_in_the_next_one() -> None:
    found = series(
        "".join(f"step {at}: loss=0.1, reward=0.{at},\n        kl=0.0{at}, entropy=0.4\n" for at in (1, 2))
    )
    assert found.steps.tolist() == [1, 2] and column(found, "actor/kl_loss") == [0.01, 0.02]
    assert column(found, "critic/score/mean") == [0.1, 0.2]


@pytest.mark.parametrize(
    "row",
    [
        "step {0} | loss 0.1 | reward 0.6{0} ± 0.21 | entropy 0.2",
        "step {0} | loss 0.1 | reward 0.6{0} +/- 0.21 | entropy 0.2",
        "step={0} loss=0.1 avg_reward=0.6{0} avg_entropy=0.2 avg_grad_norm=0.3",
        "=== Step {0} ===\nloss: 0.1\nReward (mean): 0.6{0}\nentropy (avg) = 0.2",
    ],
)
def test_a_mean_may_say_that_it_is_one_and_how_widely_it_spreads(row: str) -> None:
    found = series("".join(row.format(at) + "\n" for at in (1, 2, 3)))
    assert column(found, "critic/score/mean") == [0.61, 0.62, 0.63]
    assert column(found, "actor/entropy") == [0.2] * 3 and column(found, "actor/pg_loss") == [0.1] * 3
