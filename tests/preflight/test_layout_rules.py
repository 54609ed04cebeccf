"""A model that the configured split or router replay would break is refused with the value that works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig
from liverl.preflight.finding import Finding
from liverl.preflight.layout_rules import judge_routes, judge_split
from liverl.preflight.layouts import check_layouts
from liverl.preflight.model_facts import facts_of
from tests.preflight.conftest import MakeConfig
from tests.preflight.shapes import QWEN3_8B, QWEN3_30B_A3B, QWEN25_VL_7B, QWEN35_35B_A3B, gpu_profile

SP = "actor_rollout_ref.actor.ulysses_sequence_parallel_size"
RECORD = "actor_rollout_ref.rollout.enable_rollout_routing_replay"
REPLAY = "actor_rollout_ref.actor.veomni.router_replay.mode"
STRATEGY = "actor_rollout_ref.actor.strategy"


def on_gpus(make_config: MakeConfig, tensor: int = 1, **verl: object) -> RunConfig:
    return make_config(
        engine={"rollout": "vllm", "tensor_parallel": tensor},
        infrastructure={"gpus_per_node": 8},
        verl=dict(verl),
    )


def told(found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.id, finding.severity) for finding in found]


def test_six_key_value_heads_do_not_split_over_four_gpus(make_config: MakeConfig) -> None:
    model = facts_of({**QWEN3_8B, "num_attention_heads": 24, "num_key_value_heads": 6, "hidden_size": 3072})
    (finding,) = judge_split(model, on_gpus(make_config, 4))
    assert (finding.id, finding.severity) == ("model:kv_heads", "fatal")
    assert finding.evidence.startswith("6 heads over 4 GPUs")
    # Three divide the heads, and not the eight GPUs.
    assert finding.cure == "Set engine.tensor_parallel to 2"


def test_key_value_heads_of_a_nested_language_model_are_checked(make_config: MakeConfig) -> None:
    (finding,) = judge_split(facts_of(QWEN35_35B_A3B), on_gpus(make_config, 4))
    assert (finding.id, finding.cure) == ("model:kv_heads", "Set engine.tensor_parallel to 2")
    assert told(judge_split(facts_of(QWEN25_VL_7B), on_gpus(make_config, 4))) == [("model:heads", "info")]


def test_attention_heads_have_to_divide_by_the_tensor_parallel_size(make_config: MakeConfig) -> None:
    found = judge_split(facts_of(QWEN25_VL_7B), on_gpus(make_config, 8))
    assert ("model:heads", "fatal") in told(found)
    assert {finding.cure for finding in found} == {"Set engine.tensor_parallel to 4"}


def test_a_cpu_run_splits_nothing(make_config: MakeConfig) -> None:
    model = facts_of({**QWEN3_8B, "num_key_value_heads": 7})
    assert told(judge_split(model, make_config(engine={"tensor_parallel": 1}))) == [("model:heads", "info")]


def test_a_model_that_names_no_heads_is_not_judged(make_config: MakeConfig) -> None:
    assert told(judge_split(facts_of({"model_type": "x"}), on_gpus(make_config))) == [
        ("model:heads", "skipped")
    ]


@pytest.mark.parametrize(
    ("kv_heads", "size", "fits"), [(4, 8, True), (8, 4, True), (6, 4, False), (6, 3, False)]
)
def test_sequence_parallelism_needs_heads_that_divide_or_repeat(
    kv_heads: int, size: int, fits: bool, make_config: MakeConfig
) -> None:
    model = facts_of({**QWEN3_8B, "num_key_value_heads": kv_heads})
    found = judge_split(model, on_gpus(make_config, **{SP: size}))
    assert all(finding.severity == "info" for finding in found) == fits
    if not fits:
        assert f"Set {SP} to" in found[0].cure


@pytest.mark.parametrize("key", [SP, "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size"])
def test_sequence_parallelism_is_refused_for_gated_delta_net(key: str, make_config: MakeConfig) -> None:
    (finding,) = judge_split(facts_of(QWEN35_35B_A3B), on_gpus(make_config, **{key: 2}))
    assert (finding.id, finding.severity) == ("model:sp_gdn", "fatal")
    assert "30 of 40 layers" in finding.evidence
    assert finding.cure.startswith(f"Set {SP} to 1 in section verl")
    assert told(judge_split(facts_of(QWEN35_35B_A3B), on_gpus(make_config))) == [("model:heads", "info")]


def test_the_reference_policys_own_sequence_parallelism_counts_where_there_is_one(
    make_config: MakeConfig,
) -> None:
    ref = {"actor_rollout_ref.ref.ulysses_sequence_parallel_size": 2}
    config = on_gpus(make_config, **ref)
    assert told(judge_split(facts_of(QWEN35_35B_A3B), config)) == [("model:heads", "info")]
    with_kl = config.model_copy(
        update={"algorithm": config.algorithm.model_copy(update={"use_kl_loss": True})}
    )
    assert told(judge_split(facts_of(QWEN35_35B_A3B), with_kl)) == [("model:sp_gdn", "fatal")]


@pytest.mark.parametrize(
    ("content", "verl", "severity", "cure"),
    [
        (QWEN3_8B, {}, "info", ""),
        (QWEN3_8B, {RECORD: True}, "fatal", f"Remove {RECORD}"),
        (
            QWEN3_8B,
            {STRATEGY: "veomni", REPLAY: "R3", RECORD: True},
            "fatal",
            f"Remove {REPLAY} and {RECORD}",
        ),
        (QWEN3_30B_A3B, {}, "warn", "pearson_corr falls below 0.99"),
        (QWEN3_30B_A3B, {RECORD: True}, "error", f"Remove {RECORD}"),
        (QWEN3_30B_A3B, {STRATEGY: "veomni", REPLAY: "R3", RECORD: True}, "info", ""),
        (QWEN3_30B_A3B, {STRATEGY: "veomni", REPLAY: "R3"}, "fatal", f"Set {RECORD} to true"),
        (QWEN3_30B_A3B, {STRATEGY: "veomni", REPLAY: "R2", RECORD: True}, "fatal", f"Set {RECORD} to false"),
        (QWEN3_30B_A3B, {STRATEGY: "veomni", RECORD: True}, "error", "router_replay.mode to R3"),
    ],
)
def test_router_replay_has_to_suit_model_and_engine(
    content: dict[str, Any], verl: dict[str, object], severity: str, cure: str, make_config: MakeConfig
) -> None:
    (finding,) = judge_routes(facts_of(content), on_gpus(make_config, **verl))
    assert (finding.id, finding.severity) == ("model:router_replay", severity)
    assert cure in finding.cure


def test_veomni_fails_with_fused_kernels(make_config: MakeConfig) -> None:
    key = "actor_rollout_ref.model.use_fused_kernels"
    config = on_gpus(make_config, **{STRATEGY: "veomni", key: True})
    found = judge_routes(facts_of(QWEN3_8B), config)
    assert told(found) == [("model:veomni", "fatal")]
    assert found[0].cure == f"Set {key} to false in section verl"


def test_the_shipped_gpu_profile_suits_the_model_that_it_was_written_for(tmp_path: Path) -> None:
    config, model = gpu_profile(tmp_path), facts_of(QWEN3_30B_A3B)
    found = [*judge_split(model, config), *judge_routes(model, config)]
    assert told(found) == [("model:heads", "info"), ("model:router_replay", "warn")]


def test_a_model_that_is_not_there_is_not_judged(make_context: Callable[..., Any]) -> None:
    assert told(check_layouts(make_context())) == [("model:layout", "skipped")]


def test_a_model_folder_is_judged_by_all_its_facts(
    make_context: Callable[..., Any], make_model: Callable[..., Path], tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m", **QWEN3_8B)
    found = check_layouts(make_context(model={"path": str(folder)}))
    assert [finding.id for finding in found] == [
        "model:architecture",
        "model:heads",
        "model:router_replay",
        "model:parser",
    ]
