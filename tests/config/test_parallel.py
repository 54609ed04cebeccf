"""The split of a run is worked out as verl works it out, section `verl` included."""

from __future__ import annotations

import pytest

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, REF, Parallel, sequence_parallel
from liverl.config.verl_keys import VerlKeys


def config(**sections: object) -> RunConfig:
    hardware = {"nnodes": 2, "gpus_per_node": 8}
    engine = {"rollout": "vllm", "tensor_parallel": 4}
    return RunConfig.model_validate({"infrastructure": hardware, "engine": engine, **sections})


def test_a_colocated_run_serves_replicas_on_the_trainers_gpus() -> None:
    parallel = Parallel.of(config())
    assert (parallel.world, parallel.data, parallel.replicas, parallel.shard) == (16, 16, 4, 16)


def test_sequence_parallelism_divides_the_data_parallel_size() -> None:
    parallel = Parallel.of(config(verl={f"{ACTOR}.ulysses_sequence_parallel_size": 4}))
    assert (parallel.sequence, parallel.data) == (4, 4)


def test_rollout_nodes_count_in_the_separate_mode_only() -> None:
    nodes = {"actor_rollout_ref.rollout.nnodes": 1, "trainer.nnodes": 1}
    assert Parallel.of(config(verl=nodes)).rollout_nodes == 0
    parallel = Parallel.of(config(verl={**nodes, "trainer.v1.trainer_mode": "separate_async"}))
    assert (parallel.trainer_nodes, parallel.rollout_nodes, parallel.replicas) == (1, 1, 4)


def test_without_hybrid_engine_the_separate_modes_replicas_have_their_own_gpus_only() -> None:
    keys = {"actor_rollout_ref.rollout.nnodes": 1, "actor_rollout_ref.hybrid_engine": False}
    separate = Parallel.of(config(verl={**keys, "trainer.v1.trainer_mode": "separate_async"}))
    assert (separate.world, separate.rollout_gpus, separate.replicas) == (16, 8, 2)
    assert Parallel.of(config(verl=keys)).rollout_gpus == 16


def test_the_reference_policy_follows_the_actor_where_it_says_nothing() -> None:
    keys = VerlKeys.of(config(verl={f"{ACTOR}.ulysses_sequence_parallel_size": 4}))
    assert sequence_parallel(keys, REF) == 4
    keys = VerlKeys.of(config(verl={f"{REF}.fsdp_config.ulysses_sequence_parallel_size": 2}))
    assert (sequence_parallel(keys, ACTOR), sequence_parallel(keys, REF)) == (1, 2)


def test_nested_and_added_keys_are_read_and_deleted_ones_left_out() -> None:
    verl = {"a": {"b": 1, "c": {"d": True}}, "+e.f": "7", "~g": "x", "h": None}
    keys = VerlKeys.of(RunConfig.model_validate({"verl": verl}))
    assert keys.whole("a.b", 0) == 1
    assert keys.truth("a.c.d", False) is True
    assert keys.whole("e.f", 0) == 7
    assert "g" not in keys.values


@pytest.mark.parametrize("value", ["many", 1.5, True, None, [1]])
def test_a_value_of_another_type_counts_as_not_given(value: object) -> None:
    keys = VerlKeys.of(RunConfig.model_validate({"verl": {"a": value}}))
    assert keys.whole("a", 3) == 3


@pytest.mark.parametrize("key", ["trainer.nnodes", "actor_rollout_ref.rollout.tensor_model_parallel_size"])
def test_a_senseless_number_never_divides_by_zero(key: str) -> None:
    parallel = Parallel.of(config(verl={key: 0}))
    assert parallel.data >= 1 and parallel.replicas >= 0
