"""Metrics a line each, the same names again and again."""

from __future__ import annotations

import pytest

from liverl.log.formats.repeated import repeated_rows
from tests.log.formats.test_tables import column


def test_a_box_tells_its_step_among_its_metrics_and_their_part_above_them() -> None:
    text = "".join(
        "---------------------------------\n"
        "| rollout/           |          |\n"
        f"|    ep_rew_mean     | 0.{step}      |\n"
        "| time/              |          |\n"
        f"|    iterations      | {step * 2}        |\n"
        "| train/             |          |\n"
        f"|    entropy_loss    | -0.{step}     |\n"
        f"|    approx_kl       | 0.00{step}    |\n"
        "---------------------------------\n"
        for step in range(1, 5)
    )
    found = repeated_rows(text.encode()).series()
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4]
    assert column(found, "actor/entropy") == [0.1, 0.2, 0.3, 0.4]
    assert column(found, "actor/ppo_kl") == [0.001, 0.002, 0.003, 0.004]


@pytest.mark.parametrize("is_above", [True, False])
def test_a_heading_tells_the_step_of_the_block_on_its_side(is_above: bool) -> None:
    def block(step: int) -> str:
        pairs, heading = f"reward: 0.{step}\nkl: 0.0{step}\nentropy: 0.5\n", f"step_{step * 5}:\n"
        return heading + pairs if is_above else pairs + heading

    found = repeated_rows("\n".join(map(block, range(1, 5))).encode()).series()
    assert found.steps.tolist() == [5, 10, 15, 20]
    assert column(found, "actor/kl_loss") == [0.01, 0.02, 0.03, 0.04]


def test_what_never_changes_is_a_setting() -> None:
    assert len(repeated_rows(b"lr: 1e-6\nkl: 0.001\nentropy: 0.0\nclip_ratio: 0.2\n" * 8)) == 0


def test_what_no_training_tells_is_left_alone() -> None:
    text = "".join(f"accuracy: 0.{at}\ntime: {at}\nreward: {at}\n" for at in range(1, 9))
    assert len(repeated_rows(text.encode())) == 0
