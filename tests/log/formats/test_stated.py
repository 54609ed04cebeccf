"""Lines that tell a step and metrics by names that no trainer known here prints."""

from __future__ import annotations

import pytest

from liverl.log.formats.written import written_series
from liverl.log.series import Series
from tests.log.formats import test_steps
from tests.log.formats.test_steps import column


def series(text: str) -> Series:
    """What such a text tells."""
    return written_series(text.encode())


def lines(form: str, *steps: int) -> str:
    """Some rows, each metric's value told by its step."""
    return "".join(form.format(at) + "\n" for at in steps or range(1, 7))


@pytest.mark.parametrize(
    "form",
    [
        "step {0} | avg_reward 0.{0} | k3_kl 1.{0} | mean_completion_tokens {0}0",
        "2026-03-01 10:00:0{0} INFO [step {0}] avg_reward=0.{0}, k3_kl=1.{0}, mean_completion_tokens={0}0",
        "{{'step': {0}, 'avg_reward': 0.{0}, 'k3_kl': 1.{0}, 'mean_completion_tokens': {0}0}}",
        '{{"iteration": {0}, "avg_reward": 0.{0}, "k3_kl": 1.{0}, "mean_completion_tokens": {0}0}} <- a row',
        "Iter   {0}: avg_reward=0.{0} k3_kl=1.{0} mean_completion_tokens={0}0",
    ],
)
def test_each_line_that_counts_up_is_a_row(form: str) -> None:
    found = series("The policy is trained.\n" + lines(form) + "done\n")
    assert found.steps.tolist() == [1, 2, 3, 4, 5, 6] and found.lines.tolist() == [2, 3, 4, 5, 6, 7]
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert column(found, "actor/kl_loss")[0] == 1.1 and column(found, "response_length/mean")[-1] == 60


@pytest.mark.parametrize(
    "text",
    [
        lines("step {0} | avg_reward 0.{0} | k3_kl 1.{0}", 1, 2, 3),  # too few
        lines("step {0} | avg_reward 0.{0} | k3_kl 1.{0}", 1, 2, 2, 1),  # they count nothing
        lines("step {0} | avg_reward 0.{0} | k3_kl 1.{0}", 5, 4, 3, 2, 1),
        lines("step {0} | mean_r 0.{0} | eval_reward 1.{0}"),  # as an agent has them
        lines("eval at step {0} | mean_r 0.{0} | k3_kl 1.{0}"),
        lines("step {0} | width 0.{0} | height 1.{0}"),
    ],
)
def test_other_lines_are_no_rows(text: str) -> None:
    assert not len(series(text))


def test_what_begins_alike_is_one_run() -> None:
    text = "".join(
        f"warm-up step {at}: avg_reward=9, k3_kl=9\nstep {at}: avg_reward=0.{at}, k3_kl=0.2\n"
        for at in range(1, 5)
    )
    text += "step 5: avg_reward=0.5, k3_kl=0.2\n"
    assert column(series(text), "critic/score/mean") == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_loss_of_zero_leaves_no_row_out() -> None:
    text = "".join(
        f"step {at} | surrogate_loss {loss} | grad_l2 1.5 | avg_reward 0.5\n"
        for at, loss in enumerate(("0.1", "0", "-1.5", "12", "nan", "3e-5"), 1)
    )
    assert test_steps.series(text).steps.tolist() == [1, 2, 3, 4, 5, 6]
