"""Trials are counted once each, whatever the number of their sequences."""

from liverl.config import RunConfig
from liverl.engine.desk import DOOR_TIMEOUT_S
from liverl.engine.sampler import AROUND_S, patience_s, scored_trials


def test_a_trial_with_three_sequences_counts_once() -> None:
    keys = ["g1_0_0", "g1_0_1", "g1_0_2", "g1_3_0", "g2_1_0"]
    assert scored_trials(keys) == {"g1": 2, "g2": 1}


def test_groups_are_told_apart_by_their_whole_name() -> None:
    assert scored_trials(["a-b_0_0", "a-c_0_0"]) == {"a-b": 1, "a-c": 1}


def test_patience_covers_every_try_of_every_wave_of_a_workers_trials() -> None:
    plain = {
        "rollout": {"n": 8, "val_n": 4, "workers": 2},
        "trial": {"concurrency": 16, "agent_timeout_s": 60, "verifier_timeout_s": 40, "retries": 1},
    }
    config = RunConfig.model_validate(plain)
    each_s = 60 + 40 + AROUND_S
    # A worker has 8 places: 4 of 8 groups are 32 trials, 4 waves; in validation 16 trials, 2 waves.
    assert patience_s(config, "train", 8) == DOOR_TIMEOUT_S + 4 * 2 * each_s
    assert patience_s(config, "val", 8) == DOOR_TIMEOUT_S + 2 * 2 * each_s
