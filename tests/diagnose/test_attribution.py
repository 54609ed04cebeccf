"""A change of the reward, split."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liverl.diagnose.attribution import attribute
from liverl.log.series import Series
from liverl.record.trials import TrialRow
from tests.record.rows import trial_row

BASE = trial_row()


def trials(step: int, task: str, rewards: list[float | None], blame: str = "sandbox") -> list[TrialRow]:
    """A group of trials of one task; None is one that was lost."""
    return [
        replace(
            BASE, step=step, task=task, group=f"{task}-{step}", split="train", reward=reward,
            outcome="infrastructure" if reward is None else "solved" if reward else "unsolved",
            blame=blame if reward is None else "",
        )
        for reward in rewards
    ]  # fmt: skip


def test_a_policy_that_learns_gets_the_whole_change() -> None:
    rows = trials(1, "a", [0, 0, 0, 1] * 4) + trials(2, "a", [1, 1, 1, 0] * 4)
    found = attribute(rows)
    assert found is not None and found.reward == (0.25, 0.75)
    assert (found.policy, found.tasks, found.lost) == (pytest.approx(0.5), pytest.approx(0), 0)


def test_easier_tasks_are_no_learning() -> None:
    easy, hard = [1.0] * 16, [0.0] * 16
    rows = [
        *trials(1, "easy", easy[:4]),
        *trials(1, "hard", hard),
        *trials(2, "easy", easy),
        *trials(2, "hard", hard[:4]),
    ]
    found = attribute(rows)
    assert found is not None and found.policy == pytest.approx(0) and found.tasks == pytest.approx(0.6)


def test_lost_trials_are_neither() -> None:
    rows = trials(1, "a", [1.0] * 20) + trials(2, "a", [1.0] * 16 + [None] * 16)
    found = attribute(rows)
    assert found is not None and found.reward == (1.0, 0.5)
    assert (found.policy, found.lost) == (pytest.approx(0), pytest.approx(-0.5))
    assert found.blame == {"sandbox": 0.5} and "50% lost by the sandbox" in found.line


def test_lost_trials_are_split_by_whose_fault_they_were() -> None:
    before = trials(1, "a", [1.0] * 16 + [None] * 4, blame="verifier")
    after = trials(2, "a", [1.0] * 16) + trials(2, "a", [None] * 16)
    found = attribute(before + after)
    assert found is not None
    assert found.lost_by == {"sandbox": -0.5, "verifier": pytest.approx(0.2)}
    assert sum(found.lost_by.values()) == pytest.approx(found.lost)
    assert "lost trials -0.30 (sandbox -0.50, verifier +0.20)" in found.line


def test_groups_without_a_signal_are_told_apart() -> None:
    late = (
        trials(2, "a", [1.0] * 8)
        + trials(2, "b", [0.0] * 8)
        + trials(2, "c", [0, 1] * 4)
        + trials(2, "d", [0, 1] * 4)
    )
    found = attribute(trials(1, "a", [0, 1] * 8) + late)
    assert found is not None and (found.right, found.wrong, found.mixed) == (0.25, 0.25, 0.5)


def test_a_filter_that_leaves_out_what_is_wrong_lifts_only_the_curve_that_is_trained_on() -> None:
    rows = trials(1, "a", [0, 1] * 8) + trials(2, "a", [0, 1] * 8)
    columns = {"critic/score/mean": [0.5, 0.8], "trial/reward/mean": [0.5, 0.5]}
    found = attribute(rows, Series.of([1, 2], columns))
    assert found is not None and found.policy == pytest.approx(0) and found.filtered == pytest.approx(0.3)
    assert "the filter lifts the trained-on curve by +0.30" in found.line
    unmeasured = attribute(rows, Series.of([1, 2], {"critic/score/mean": [0.5, 0.8]}))
    assert unmeasured is not None and unmeasured.filtered is None


def test_validation_does_not_count_and_few_trials_say_nothing() -> None:
    rows = trials(1, "a", [0, 1] * 8) + trials(2, "a", [0, 1] * 8)
    assert attribute([replace(row, split="val") for row in rows]) is None
    assert attribute(rows[:20]) is None and attribute([]) is None


@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from("abc"), st.sampled_from([None, 0.0, 0.5, 1.0])),
        min_size=80, max_size=200,
    )
)  # fmt: skip
def test_the_parts_add_up_to_the_change(given_rows: list[tuple[int, str, float | None]]) -> None:
    rows = [row for step, task, reward in given_rows for row in trials(step, task, [reward])]
    found = attribute(rows)
    if found is not None:
        change = found.reward[1] - found.reward[0]
        assert found.policy + found.tasks + found.lost == pytest.approx(change, abs=1e-9)
        assert found.right + found.wrong + found.mixed == pytest.approx(1)
