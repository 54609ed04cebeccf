"""What a short name means beside another."""

from __future__ import annotations

import numpy as np
import pytest

from liverl.log.names import Names, with_aliases
from liverl.log.series import Values


def columns(*names: str) -> dict[str, Values]:
    return {name: np.array([0.25 + number / 16]) for number, name in enumerate(names)}


@pytest.mark.parametrize(
    ("names", "cut"),
    [
        (("reward", "response_length", "clip"), 0.375),
        (("mean_length", "clip_ratio", "reward"), 0.3125),
        (("Completion_Length", "Clip Rate"), 0.3125),
        (("kl", "clip_ratio", "response_length"), None),
        (("response_length", "kl", "clip"), None),
        (("response_length", "clip", "completions/clipped_ratio"), 0.375),
        (("reward_mean", "avg_turns", "clip_ratio"), 0.375),
        (("reward_mean", "loss", "clip_ratio"), None),
    ],
)
def test_a_clip_after_a_length_counts_the_cuts(names: tuple[str, ...], cut: float | None) -> None:
    found = with_aliases(columns(*names)).get("response_length/clip_ratio")
    assert (None if found is None else found.tolist()) == (None if cut is None else [cut])


@pytest.mark.parametrize(
    ("names", "verl"),
    [
        (("step_time", "accuracy"), "critic/score/mean"),
        (("reward", "Accuracy"), "reward/accuracy"),
        (("reward", "correct"), "reward/accuracy"),
        (("margin", "acc"), "rewards/accuracies"),
    ],
)
def test_the_right_answers_are_the_score_or_its_part(names: tuple[str, ...], verl: str) -> None:
    assert with_aliases(columns(*names))[verl].tolist() == [0.3125]


@pytest.mark.parametrize(
    ("names", "validation"),
    [
        (("train reward", "BAcc", "macro F1"), 0.3125),
        (("train_reward", "f1", "Exact Match"), 0.3125),
        (("reward", "f1"), None),
        (("train reward", "f1", "val/score"), 0.375),
    ],
)
def test_what_an_evaluation_counts_is_its_score_beside_the_training_s(
    names: tuple[str, ...], validation: float | None
) -> None:
    found = with_aliases(columns(*names)).get("val/score")
    assert (None if found is None else found.tolist()) == (None if validation is None else [validation])


def test_what_is_told_by_its_full_name_stays() -> None:
    found = with_aliases(columns("reward", "rewards/accuracy_reward", "accuracy"))
    assert found["reward/accuracy"].tolist() == [0.3125]


def test_a_name_that_may_mean_something_is_kept() -> None:
    names = Names(frozenset(("critic/score/mean",)))
    assert names.of("accuracy") == "accuracy" and names.of("wall_clock") is None


def test_a_level_is_how_hard_the_tasks_are_but_where_versions_lag() -> None:
    columns = {name: np.array([0.1, 0.2]) for name in ("level", "reward", "gnorm", "loss")}
    assert "data/difficulty" in with_aliases(columns)
    assert "data/difficulty" not in with_aliases(columns | {"Max. Off-Policy Level": np.array([1.0, 2.0])})


@pytest.mark.parametrize(
    ("name", "verl"),
    [
        ("#tokens", "response_length/mean"),
        ("trunc %", "response_length/clip_ratio"),
        ("finish=length", "response_length/clip_ratio"),
        ("dead groups", "reward/zero_std_share"),
        ("AIME24", "val/score"),
        ("logp gap", "rollout_corr/logprob_abs_diff"),
        ("searches", "tool_call_counts/mean"),
        ("有效动作", "env/valid_action_ratio"),
        ("‖g‖", "actor/grad_norm"),
        ("versions behind", "training/off_policy/trajectory_staleness/mean"),
    ],
)
def test_what_people_head_a_column_with_means_it_beside_those_of_a_training(name: str, verl: str) -> None:
    told = {"reward": np.array([0.5]), "kl": np.array([0.01]), name: np.array([0.25])}
    assert with_aliases(told)[verl].tolist() == [0.25]
    assert verl not in with_aliases({"seen": np.array([0.5]), name: np.array([0.25])})


def test_a_short_name_takes_no_place_that_is_told_whole() -> None:
    told = {"response_length": np.array([900.0]), "tokens": np.array([5.0]), "kl": np.array([0.1])}
    assert with_aliases(told)["response_length/mean"].tolist() == [900.0]


def test_shares_of_a_hundred_become_parts_of_one_and_counts_are_none() -> None:
    told = {"reward": np.array([0.5, 0.5]), "kl": np.array([0.01, 0.02])}
    in_percent = with_aliases(told | {"trunc %": np.array([3.0, 25.0])})
    assert in_percent["response_length/clip_ratio"].tolist() == [0.03, 0.25]
    assert "response_length/clip_ratio" not in with_aliases(told | {"trunc": np.array([3.0, 25.0])})
