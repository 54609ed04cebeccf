"""Failures that are drawn by formula are told by their own write-ups, and healthy runs are not flagged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench.curves import PICKED, Asked, failures, found, is_right, written
from bench.drawn import DIALECTS, FAILURES, HEALTHY, SCALES, healthy, scaled

LENGTH = 80
# One curve of each failure under each trainer's names; a scale after the other.
FAILED = [
    asked
    for at, asked in enumerate(
        each for each in failures() if each.steps in (LENGTH, PICKED[-1]) and each.seed == 1
    )
    if at % len(SCALES) == at // len(SCALES) % len(SCALES)
]


@pytest.mark.parametrize(
    "asked", FAILED, ids=lambda asked: f"{asked.name}-{asked.rows}-{asked.dialect}-{asked.scale}"
)
def test_a_failure_is_told_by_its_own_write_up(asked: Asked, tmp_path: Path) -> None:
    findings = found(asked, tmp_path)
    assert is_right(asked, findings), [each.id for each in findings]


def test_each_failure_is_among_them() -> None:
    assert {asked.name for asked in FAILED} == {
        name for name, failure in FAILURES.items() if failure.fewest <= LENGTH
    }


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_run_is_not_flagged(name: str, tmp_path: Path) -> None:
    for dialect, scale in zip(DIALECTS, (*SCALES, *SCALES), strict=False):
        assert not found(Asked(name, 40, dialect, scale, 1), tmp_path), (dialect, scale)
        assert not found(Asked(name, 8, dialect, scale, 2, True), tmp_path), (dialect, scale)


def test_rewards_below_0_are_judged_as_those_above(tmp_path: Path) -> None:
    for scale in SCALES:
        asked = Asked("half of the reward is gone within three steps", 40, "OpenRLHF", scale, 1)
        assert is_right(asked, found(asked, tmp_path)), scale


def test_a_curve_is_written_under_a_trainers_names() -> None:
    curve = scaled(healthy(12, np.random.default_rng(1)), "below 0")
    curve["grad"][3] = np.inf
    rows = [json.loads(line) for line in written(curve, range(12), DIALECTS["verl"]).splitlines()]
    assert [row["step"] for row in rows] == list(range(1, 13))
    assert np.isnan(rows[3]["actor/grad_norm"])
    assert all(-1.5 <= row["critic/score/mean"] <= 0.5 for row in rows)
    assert "val-core/gsm8k/acc/mean@1" in rows[0]
    assert "reward_std" not in rows[0]
