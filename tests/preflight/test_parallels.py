"""What verl would divide with a rest is refused before it tries, with the number that divides."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.preflight.parallels import judge_parallels
from tests.preflight.conftest import MakeConfig
from tests.preflight.shapes import gpu_profile

ACTOR, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
SP = f"{ACTOR}.ulysses_sequence_parallel_size"


def split(
    make_config: MakeConfig, gpus: int = 8, tensor: int = 1, nnodes: int = 1, **verl: object
) -> RunConfig:
    return make_config(
        engine={"rollout": "vllm", "tensor_parallel": tensor},
        infrastructure={"gpus_per_node": gpus, "nnodes": nnodes},
        verl=dict(verl),
    )


def fatal(config: RunConfig) -> dict[str, str]:
    return {finding.id: finding.cure for finding in judge_parallels(config) if finding.severity == "fatal"}


def test_a_split_without_rest_is_told_in_replicas_and_ranks(tmp_path: Path) -> None:
    found = judge_parallels(gpu_profile(tmp_path))
    assert [(finding.id, finding.severity) for finding in found] == [
        ("nodes:replicas", "info"),
        ("batch:dp", "info"),
    ]
    assert found[0].title == "8 rollout processes make 2 replicas of 4"
    assert "1 ranks: 8 trainer processes" in found[1].evidence


def test_the_laptops_run_divides(make_config: MakeConfig) -> None:
    assert fatal(make_config()) == {}


def test_gpus_that_make_no_whole_replicas_are_refused(make_config: MakeConfig) -> None:
    assert fatal(split(make_config, gpus=8, tensor=3)) == {
        "nodes:replicas": "Set engine.tensor_parallel to 2"
    }


def test_nodes_that_do_not_make_up_the_cluster_are_refused(make_config: MakeConfig) -> None:
    separate = {"trainer.v1.trainer_mode": "separate_async", f"{ROLLOUT}.nnodes": 1}
    assert fatal(split(make_config, nnodes=2, **separate)) == {
        "nodes:cluster": "Set trainer.nnodes to 1 in section verl"
    }
    assert fatal(split(make_config, nnodes=2, **separate, **{"trainer.nnodes": 1})) == {}


def test_a_sequence_has_to_be_split_over_a_divisor_of_the_trainers_gpus(make_config: MakeConfig) -> None:
    assert fatal(split(make_config, gpus=6, **{SP: 4}))["nodes:sequence_parallel"] == (
        f"Set {SP} to 2 in section verl"
    )


def test_a_mini_batch_has_to_divide_over_the_ranks(make_config: MakeConfig) -> None:
    config = make_config(
        training={"prompts_per_step": 6, "mini_batch_size": 3},
        rollout={"n": 4},
        infrastructure={"gpus_per_node": 8},
    )
    assert fatal(config) == {
        "batch:dp": "Set training.mini_batch_size and training.prompts_per_step to multiples of 2"
    }


def test_sequence_parallelism_lets_a_smaller_mini_batch_divide(make_config: MakeConfig) -> None:
    sections: dict[str, dict[str, object]] = {
        "training": {"prompts_per_step": 3},
        "rollout": {"n": 2},
        "infrastructure": {"gpus_per_node": 8},
    }
    assert list(fatal(make_config(**sections))) == ["batch:dp"]
    assert fatal(make_config(**sections, verl={SP: 4})) == {}


@pytest.mark.parametrize(
    "key", [f"{ACTOR}.ppo_max_token_len_per_gpu", f"{ROLLOUT}.log_prob_max_token_len_per_gpu"]
)
def test_a_pass_has_to_hold_the_longest_trial(key: str, tmp_path: Path) -> None:
    config = gpu_profile(tmp_path, verl={key: 12000})
    assert fatal(config)["batch:token_budget"].startswith(f"Set {key} to at least 13500 in section verl")


def test_shard_groups_have_to_divide_the_trainers_gpus(make_config: MakeConfig) -> None:
    assert "nodes:fsdp_size" in fatal(split(make_config, **{f"{ACTOR}.fsdp_config.fsdp_size": 3}))
    assert fatal(split(make_config, **{f"{ACTOR}.fsdp_config.fsdp_size": 4})) == {}
