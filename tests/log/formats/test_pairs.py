"""Lines of names and values, as loops of one's own print them."""

from __future__ import annotations

from liverl.log.formats.pairs import key_of
from tests.log.formats.test_steps import column, series


def test_pairs_with_blanks_between_bars_are_each_a_metric() -> None:
    row = "[{:5}] ep {:5.1f} loss -0.0024 | R 0.{} std 0.293 | len 151 ent 0.340 gn 0.27 | 6.4 s/it | EVAL 0.399"
    found = series("\n".join(row.format(40 * at, 2.5 * at, 40 + at) for at in range(8)))
    assert found.steps.tolist() == [40 * at for at in range(8)]
    assert column(found, "critic/score/mean")[:2] == [0.4, 0.41] and column(found, "val/score")[0] == 0.399
    assert column(found, "actor/entropy")[0] == 0.34 and column(found, "actor/grad_norm")[0] == 0.27


def test_rows_that_a_number_in_brackets_leads_are_told_by_what_an_update_has() -> None:
    row = "[{:4}] R 0.{} acc 0.{} fmt 0.938 | len 15{} | loss -0.0023 | gnorm 1.01 | ratio max 1.12 | 17.8s"
    found = series("\n".join(row.format(at, 40 + at, 30 + at, at) for at in range(1, 9)))
    assert found.steps.tolist() == list(range(1, 9))
    assert (
        column(found, "critic/score/mean")[:2] == [0.41, 0.42] and column(found, "actor/grad_norm")[0] == 1.01
    )


def test_names_with_blanks_before_their_values_may_stand_in_brackets() -> None:
    line = "[{:04}] R  0.325 (acc 0.219 fmt 0.531) adv_std 0.902 loss -0.0012 gnorm    2.285 H 0.474 len 159.8 dt 6s\n"
    found = series("".join(map(line.format, range(4))))
    assert found.steps.tolist() == [0, 1, 2, 3]
    assert (
        column(found, "actor/grad_norm") == [2.285] * 4 and column(found, "critic/score/mean") == [0.325] * 4
    )
    assert column(found, "reward/accuracy") == [0.219] * 4


def test_an_evaluation_of_several_tries_between_the_steps_is_a_validation() -> None:
    found = series(
        "Step 60 | Pass@1: 0.0625, Pass@2: 0.1225, Pass@8: 0.2450\n"
        "Step 60/467 | Average reward: 0.078 | Average sequence length: 143.7 | loss: 0.001 | lrm: 0.79\n"
        "Step 61/467 | Average reward: 0.081 | Average sequence length: 140.1 | loss: 0.002 | lrm: 0.78\n"
    )
    assert found.steps.tolist() == [60, 61]
    assert column(found, "val/score")[0] == 0.0625 and column(found, "critic/score/mean") == [0.078, 0.081]


def test_a_statistic_is_told_with_the_word_before_it() -> None:
    assert key_of("is_masked mean") == "is_masked/mean"
    assert key_of("the newest off_policy max") == "off_policy/max"
    assert key_of("mean") == "mean"
