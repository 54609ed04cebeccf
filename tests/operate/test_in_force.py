"""What a cure would set is left out where it is so already, wherever that comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.diagnose.finding import Began, Finding
from liverl.operate.find import Place
from liverl.operate.fix import Fix, propose
from liverl.operate.in_force import new_value

ACTOR = "verl.actor_rollout_ref.actor"


def proposed(folder: Path, changes: dict[str, Any], text: str = "profile: cpu\n") -> Fix:
    """The fix of a config.yaml in a folder that holds nothing else: no tasks, no environment."""
    (folder / "config.yaml").write_text(text)
    found = Finding(
        "a:b", "warn", "It broke", "high", Began(), (), "", "a/b.md", changes=changes, confirm="look"
    )
    return propose(found, Place(folder))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("algorithm.clip_ratio_high", 0.28),  # the profile's
        ("training.test_freq", 10),
        ("training.mini_batch_size", 0),  # 0 means all 8 of a step, which is what it is
        ("algorithm.entropy_coeff", 0.0),  # the schema's default
        (f"{ACTOR}.ppo_epochs", 1),  # what this package tells verl
        ("verl.algorithm.use_kl_in_reward", False),
    ],
)
def test_what_the_profile_or_this_package_says_already_is_no_change(
    key: str, value: Any, tmp_path: Path
) -> None:
    fix = proposed(tmp_path, {key: value})
    assert fix.changes == () and len(fix.there) == 1 and fix.left == ()
    assert "in force already" in fix.summary
    assert "its cause is another one" in fix.next_action and fix.next_action.endswith("be sure first: look")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (f"{ACTOR}.optim.lr_scheduler_type", "constant"),
        ("verl.data.return_raw_chat", True),
        ("verl.trainer.balance_batch", True),
        (f"{ACTOR}.ulysses_sequence_parallel_size", 1),
    ],
)
def test_what_verl_does_by_itself_is_no_change(key: str, value: Any, tmp_path: Path) -> None:
    pytest.importorskip("verl", reason="verl is not installed: bash scripts/setup_env.sh")
    assert proposed(tmp_path, {key: value}).there


def test_a_default_that_the_file_overrides_is_a_change(tmp_path: Path) -> None:
    text = f"profile: cpu\nverl:\n  {ACTOR[5:]}.ppo_epochs: 4\ntraining:\n  mini_batch_size: 4\n"
    fix = proposed(tmp_path, {f"{ACTOR}.ppo_epochs": 1, "training.mini_batch_size": 0}, text)
    assert fix.changes == ((f"{ACTOR}.ppo_epochs", "4", "1"), ("training.mini_batch_size", "4", "0"))


def test_a_value_that_verl_has_by_itself_is_what_a_relative_cure_starts_from(tmp_path: Path) -> None:
    pytest.importorskip("verl", reason="verl is not installed: bash scripts/setup_env.sh")
    fix = proposed(tmp_path, {"verl.critic.optim.lr": "* 0.5"})
    assert fix.changes == (("verl.critic.optim.lr", "1.0e-05", "5.0e-06"),)


def test_what_is_so_already_is_told_beside_what_changes(tmp_path: Path) -> None:
    fix = proposed(tmp_path, {"training.test_freq": 10, "training.steps": 40})
    assert [key for key, _, _ in fix.changes] == ["training.steps"]
    assert "  already: training.test_freq is 10" in fix.lines()


def test_a_limit_that_is_stricter_already_is_never_loosened(tmp_path: Path) -> None:
    assert proposed(tmp_path, {"scaffold.max_turns": "<= 64"}).there == ("scaffold.max_turns is 6",)
    loose = proposed(tmp_path, {"scaffold.max_turns": "<= 64"}, "profile: cpu\nscaffold:\n  max_turns: 900\n")
    assert loose.changes == (("scaffold.max_turns", "900", "64"),)


@pytest.mark.parametrize(
    ("old", "wanted", "new"),
    [
        (6, "<= 64", 6),
        (900, "<= 64", 64),
        (-1, "<= 10", 10),  # -1 is no limit at all
        (None, "<= 64", 64),
        (600, ">= 1800", 1800),
        (3600, ">= 1800", 3600),
        (0.0, ">= 0.001", 0.001),
        (0.5, "<= 1.0", 0.5),
        (True, "<= 1", 1),
        ("constant", "cosine", "cosine"),
        (8, "* 0.5", 4),
        (None, "* 0.5", None),
    ],
)
def test_a_cure_moves_a_value_the_way_it_says(old: Any, wanted: Any, new: Any) -> None:
    assert new_value(old, wanted) == new


@pytest.mark.parametrize("writeup", ["turn-loop", "grad-explosion", "lr-schedule"])
def test_a_write_up_that_limits_says_which_way(writeup: str) -> None:
    from liverl.diagnose.catalogue import catalogue

    found = next(each for each in catalogue() if each.path == f"policy/{writeup}.md")
    assert any(str(value)[:2] in ("<=", ">=") for value in found.cure.values())


def test_a_number_that_yaml_takes_for_a_text_is_one(tmp_path: Path) -> None:
    fix = proposed(
        tmp_path,
        {"algorithm.learning_rate": "* 0.5"},
        "profile: cpu\nalgorithm:\n  learning_rate: 1e-6\n",
    )
    assert fix.changes == (("algorithm.learning_rate", "1.0e-06", "5.0e-07"),)


def test_where_a_key_below_verl_wins_that_one_is_changed(tmp_path: Path) -> None:
    text = (
        "profile: cpu\nalgorithm:\n  learning_rate: 1e-6\nverl:\n  actor_rollout_ref.actor.optim.lr: 1e-3\n"
    )
    fix = proposed(tmp_path, {"algorithm.learning_rate": "* 0.5"}, text)
    assert fix.changes == ((f"{ACTOR}.optim.lr", "0.001", "0.0005"),) and fix.left == ()
    assert "actor_rollout_ref.actor.optim.lr: 0.0005" in fix.text and "learning_rate: 1e-6" in fix.text


def test_a_key_that_another_one_below_verl_makes_useless_is_left_to_a_person(tmp_path: Path) -> None:
    text = "profile: cpu\nverl:\n  actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 32768\n"
    fix = proposed(tmp_path, {"training.micro_batch_size": 2}, text)
    assert fix.changes == ()
    assert fix.left == (
        "set training.micro_batch_size to 2: "
        "verl.actor_rollout_ref.actor.ppo_max_token_len_per_gpu wins over it and has to go with it",
    )


def test_a_key_below_verl_that_means_something_else_is_in_nobodys_way(tmp_path: Path) -> None:
    text = "profile: cpu\nverl:\n  actor_rollout_ref.actor.optim.lr: 1e-3\n"
    assert proposed(tmp_path, {"training.test_freq": 7}, text).changes[0][0] == "training.test_freq"
