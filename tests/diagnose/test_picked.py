"""A few rows of a run: a reward that jumps between them tells no trend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from liverl.diagnose.picked import is_jumpy
from liverl.log.series import Series
from liverl.operate.diagnose import diagnose_file

# One prompt of four answers a step, every 32nd step of a run that goes well.
JUMPS = (-2.15, -2.4, -0.22, 2.07, -2.45, -2.42, -2.27, 0.37, 2.54, 1.72)


def _series(rewards: tuple[float, ...]) -> Series:
    steps = np.arange(1, len(rewards) + 1, dtype=np.int64) * 32
    return Series(steps, {"critic/score/mean": np.array(rewards)}, steps, (), np.ones(len(rewards), np.int64))


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        (JUMPS, True),
        (JUMPS[:5], False),  # too few to tell
        ((0.1, 0.2, 0.25, 0.4, 0.38, 0.5, 0.6), False),  # rises
        ((0.175, 0.3125, 0.1875, 0.0813, 0.0187, 0.025), False),  # breaks down
        ((0.8, 0.82, 0.81, 0.79, 0.05, 0.02, 0.03, 0.01), False),  # the same at once
        ((0.224, 0.225, 0.224, 0.225, 0.225, 0.224), False),  # stands still
        ((0.0,) * 8, False),
        ((0.25, 0.5, 0.125), True),  # means of eight trials
        ((0.25, 0.5, 0.25, 0.5), False),  # of two values nobody knows
        ((0.25, 0.5, 0.13), False),
    ],
)
def test_a_reward_that_goes_up_and_down_is_told_from_a_trend(
    rewards: tuple[float, ...], expected: bool
) -> None:
    assert is_jumpy(_series(rewards)) is expected


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("actor/entropy", (0.5, 0.5, 0.6, 0.9, 3.2, 7.5, 9.3, 9.6, 9.5, 9.7), False),
        ("actor/kl_loss", (0.001, 0.01, 0.1, 1, 15, 60, 200, 300, 310, 320), False),
        ("actor/kl_loss", (0.0, 0.001, 0.002, 0.01, 0.02, 0.03, 0.05, 0.1, 0.12, 0.2), True),
        ("response_length/clip_ratio", (0, 0, 0, 0, 0, 0, 0, 0, 0.25, 0.25), True),
        # It left for good, and differs there by chance.
        ("actor/kl_loss", (0.01, 0.03, 0.02, 9.0, 6.0, 8.0, 7.0, 8.5, 6.5, 7.5), False),
        ("response_length/mean", (400, 380, 410, 60, 20, 24, 21, 22, 23, 20), False),
    ],
)
def test_what_goes_one_way_meanwhile_is_a_trend(name: str, values: tuple[float, ...], expected: bool) -> None:
    series = _series(JUMPS)
    told = replace(series, columns={**series.columns, name: np.array(values, float)})
    assert is_jumpy(told) is expected


def test_what_breaks_down_in_the_last_rows_is_no_chance() -> None:
    assert not is_jumpy(_series((0.3, 0.5, 0.2, 0.6, 0.25, 0.55, 0.04, 0.02)))


def test_of_a_long_run_with_few_rewards_nothing_is_said() -> None:
    steps = np.arange(1, 1001, dtype=np.int64)
    rewards = np.full(1000, np.nan)
    rewards[::100] = JUMPS
    assert not is_jumpy(Series(steps, {"critic/score/mean": rewards}, steps, (), np.ones(1000, np.int64)))


def test_rows_of_batches_of_one_prompt_are_not_compared_with_one_another(tmp_path: Path) -> None:
    lengths = (62, 32, 81, 52, 87, 64, 141, 83, 80, 21)
    cut = (0, 0, 0, 0, 0, 0, 0.25, 0.25, 0, 0)
    rows = [
        f'{{"step": {32 * at}, "reward": {reward}, "entropy": {1 + 0.4 * (at % 3)}, "grad_norm": 1.{at}, '
        f'"completions/mean_length": {length}, "completions/clipped_ratio": {clipped}}}'
        for at, (reward, length, clipped) in enumerate(zip(JUMPS, lengths, cut, strict=True), 1)
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(rows) + "\n")
    answer = diagnose_file(log).diagnosis
    assert answer.verdict != "sick", answer.primary
