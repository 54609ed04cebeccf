"""Trials are counted once each, whatever the number of their sequences."""

from liverl.engine.sampler import scored_trials


def test_a_trial_with_three_sequences_counts_once() -> None:
    keys = ["g1_0_0", "g1_0_1", "g1_0_2", "g1_3_0", "g2_1_0"]
    assert scored_trials(keys) == {"g1": 2, "g2": 1}


def test_groups_are_told_apart_by_their_whole_name() -> None:
    assert scored_trials(["a-b_0_0", "a-c_0_0"]) == {"a-b": 1, "a-c": 1}
