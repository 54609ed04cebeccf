"""The panels of open-instruct."""

from __future__ import annotations

import pytest

from tests.log.formats.test_steps import column, fed, series

WIDE = """\
╭──────────────────────────── Metrics ────────────────────────────╮
│  loss       policy_avg: 0.01 | total_avg: 0.01                  │
│  objective  kl_avg: {kl} | scores: 4.50                          │
│  other      episode: 512 | training_step: {step} | lr: 5.00e-04      │
│             | num_total_tokens: 40000                           │
│  policy     clipfrac_avg: 0.00 | approxkl_avg: 2.00e-06         │
│  val        sequence_lengths: 311.00 | stop_rate: 0.90          │
╰─────────────────────────────────────────────────────────────────╯
"""
LONG = """\
╭──────────── Metrics ─────────────╮
│  episode               512       │
│  training_step         {step}         │
│  loss/policy_avg       0.01      │
│  lr                    5.00e-04  │
│  objective/kl_avg      {kl}      │
│  objective/scores      4.50      │
│  val/sequence_lengths  311.00    │
╰──────────────────────────────────╯
"""


@pytest.mark.parametrize("form", [WIDE, LONG])
@pytest.mark.parametrize("prefix", ["", "(main pid=71) ", "\x1b[1;32m"])
def test_a_panel_is_the_row_of_its_step(form: str, prefix: str) -> None:
    text = "".join(
        f"{form.format(step=step, kl=0.02 * step)}2026-01-01 INFO sent 32 prompts\n" for step in (1, 2, 3)
    )
    found = series("".join(f"{prefix}{line}\n" for line in text.splitlines()))
    assert found.steps.tolist() == [1, 2, 3]
    assert column(found, "actor/kl_loss") == [0.02, 0.04, 0.06] and column(found, "actor/lr") == [5e-4] * 3
    assert (
        column(found, "critic/score/mean") == [4.5] * 3 and column(found, "response_length/mean") == [311] * 3
    )


def test_a_panel_whose_cells_have_no_blank_of_their_own_is_read() -> None:
    text = "".join(WIDE.format(step=step, kl=0.02 * step).replace("│  ", "│ ") for step in (1, 2))
    found = series(text)
    assert found.steps.tolist() == [1, 2] and column(found, "actor/kl_loss") == [0.02, 0.04]
    assert column(found, "num_total_tokens") == [40000] * 2


def test_what_two_digits_tell_as_nothing_is_not_measured() -> None:
    found = series(WIDE.format(step=1, kl="0.00"))
    assert not found.has("actor/pg_clipfrac") and not found.has("actor/kl_loss")
    assert column(found, "actor/ppo_kl") == [2e-6]
    assert column(found, "num_total_tokens") == [40000]


def test_a_panel_that_has_not_ended_is_told_until_now_and_once() -> None:
    steps = fed("".join(WIDE.format(step=3, kl=0.1).splitlines(keepends=True)[:5]))
    assert (
        steps.series().steps.tolist() == [3] and steps.series().steps.tolist() == [3] and steps.attempts == 1
    )


def test_another_program_s_panel_is_no_row() -> None:
    assert (
        len(series("╭──── Metrics ────╮\n│  latency  p50: 3 | p99: 20  │\n│  step     3    │\n╰──────╯\n"))
        == 0
    )
