"""What W&B prints at a run's end."""

from __future__ import annotations

import pytest

from tests.log.formats.test_steps import column, fed, series

BLOCK = """\
wandb: 
wandb: Run history:
wandb:       actor/entropy ████▇▆▅▄▃▂▁
wandb:            actor/lr ▁▁▁▁▁▁▁▁▁▁▁
wandb: 
wandb: Run summary:
wandb:       actor/entropy 0.155
wandb:            actor/lr 0.0
wandb:   critic/score/mean 0.49
wandb:                note grpo
wandb:   actor/pg_clipfrac 0
wandb:      actor/mfu 3.1e-05
wandb: training/global_step 120
wandb:                  +5 ...
wandb: 
wandb: You can sync this run to the cloud by running:
"""


@pytest.mark.parametrize("prefix", ["", "(TaskRunner pid=4242) ", "\x1b[36m(main_task pid=7)\x1b[0m "])
def test_the_last_values_are_a_row_where_a_log_has_no_others(prefix: str) -> None:
    found = series("".join(f"{prefix}{line}\n" for line in BLOCK.splitlines()))
    assert found.steps.tolist() == [120] and column(found, "actor/entropy") == [0.155]
    assert column(found, "critic/score/mean") == [0.49] and column(found, "actor/pg_clipfrac") == [0]
    assert not found.has("actor/lr")  # of which five digits are left


def test_the_coloured_name_and_another_process_s_line_are_passed_over() -> None:
    text = BLOCK.replace("wandb:", "\x1b[1;34mwandb\x1b[0m:").replace(
        "0.155\n", "0.155\n(pid=3) another process\n"
    )
    assert column(series(text), "critic/score/mean") == [0.49]


def test_the_block_that_a_notebook_shows_has_no_prefix() -> None:
    found = series("Run summary:\n\nactor/entropy\t0.155\ncritic/score/mean\t0.49\ntrain/global_step\t7\n\n")
    assert found.steps.tolist() == [7] and column(found, "actor/entropy") == [0.155]


def test_a_log_s_own_rows_count() -> None:
    found = series(f"step:1 - actor/entropy:0.5 - actor/lr:1e-6\n{BLOCK}")
    assert found.steps.tolist() == [1] and column(found, "actor/entropy") == [0.5]


def test_a_block_that_has_not_ended_is_told_until_now_and_once() -> None:
    steps = fed("".join(BLOCK.splitlines(keepends=True)[:9]))
    assert len(steps.series()) == 1 and len(steps.series()) == 1 and steps.attempts == 1


def test_the_summary_of_another_program_is_no_row() -> None:
    assert len(series("wandb: Run summary:\nwandb:   accuracy 0.9\nwandb:     images 3\nwandb: \n")) == 0
    assert len(series("Run summary: 3 passed\n  loss 0.3\n  reward 0.5\n  kl 0.1\n")) == 0
