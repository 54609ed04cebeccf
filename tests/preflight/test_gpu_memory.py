"""A step's memory is estimated part by part and held against the GPU's."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.preflight.context import Context
from liverl.preflight.estimate import fitting_tokens, trainer_phases
from liverl.preflight.finding import Finding
from liverl.preflight.gpu_memory import check_gpu_memory, gpu_memory_bytes, judge_gpu_memory
from liverl.preflight.model_facts import facts_of
from liverl.preflight.server_estimate import cache, rollout_phase, sequence_bytes
from tests.preflight.shapes import GPU_BYTES, GPU_HOST, QWEN3_8B, QWEN3_30B_A3B, QWEN35_35B_A3B, gpu_profile

MOE, DENSE = facts_of(QWEN3_30B_A3B), facts_of(QWEN3_8B)
FSDP = "actor_rollout_ref.actor.fsdp_config"
# Half the sequence parallelism of the profile that ships, and a full share of tokens: an update fills the GPU.
TIGHT = {
    "actor_rollout_ref.actor.ulysses_sequence_parallel_size": 4,
    "actor_rollout_ref.actor.ppo_max_token_len_per_gpu": 32768,
}
SHORT: dict[str, object] = {"max_prompt_length": 4000, "max_response_length": 12000}


def of_gpu(found: list[Finding]) -> Finding:
    return next(finding for finding in found if finding.id == "memory:gpu")


def parts(config: RunConfig, name: str) -> dict[str, float]:
    phase = next(phase for phase in trainer_phases(MOE, config) if phase.name == name)
    return {part.name: round(part.size / 1e9, 1) for part in phase.parts}


def test_masters_gradients_and_optimizer_are_sixteen_bytes_a_parameter_over_the_shards(
    tmp_path: Path,
) -> None:
    found = parts(gpu_profile(tmp_path, verl=TIGHT), "update")
    assert (found["weights"], found["gradients"], found["optimizer"]) == (15.3, 15.3, 30.5)
    # 32768 tokens: 48 layers x 2048 x 2 bytes, and 151936 logits x 2 bytes.
    assert (found["kept activations"], found["logits"]) == (6.4, 10.0)


def test_verls_offload_does_not_lower_an_update_and_the_offload_policy_does(tmp_path: Path) -> None:
    kept = gpu_profile(tmp_path, verl={f"{FSDP}.param_offload": False, f"{FSDP}.optimizer_offload": False})
    assert parts(kept, "update") == parts(gpu_profile(tmp_path), "update")
    away = parts(gpu_profile(tmp_path, verl={f"{FSDP}.offload_policy": True}), "update")
    assert (away["weights"], away["gradients"], away["optimizer"]) == (0, 0, 0)


def test_what_the_trainer_leaves_on_the_gpu_is_beside_vllms_share(tmp_path: Path) -> None:
    assert rollout_phase(MOE, gpu_profile(tmp_path), GPU_BYTES).total == pytest.approx(0.6 * GPU_BYTES)
    kept = gpu_profile(tmp_path, verl={f"{FSDP}.param_offload": False, f"{FSDP}.optimizer_offload": False})
    assert rollout_phase(MOE, kept, GPU_BYTES).total == pytest.approx(
        0.6 * GPU_BYTES + 12 * MOE.parameters / 8
    )


def test_the_cache_of_a_trial_is_its_keys_and_values(tmp_path: Path) -> None:
    config = gpu_profile(tmp_path)
    assert sequence_bytes(MOE, config) == 2 * 48 * 1 * 128 * 2 * 108_000
    # Ten of forty layers keep keys and values; both heads are on one GPU, being fewer than the GPUs.
    assert sequence_bytes(facts_of(QWEN35_35B_A3B), config) == 2 * 10 * 1 * 256 * 2 * 108_000
    assert cache(MOE, config, GPU_BYTES).sequences == 13


def test_the_shipped_gpu_profile_leaves_a_tenth_of_its_gpus(tmp_path: Path) -> None:
    found = judge_gpu_memory(gpu_profile(tmp_path), MOE, GPU_BYTES)
    assert [(finding.id, finding.severity) for finding in found] == [
        ("memory:gpu", "info"),
        ("memory:kv_cache", "info"),
    ]


def test_a_full_share_of_tokens_leaves_a_thin_margin(tmp_path: Path) -> None:
    for gpu_bytes in (GPU_BYTES, 80 * 10**9):
        found = judge_gpu_memory(gpu_profile(tmp_path, verl=TIGHT), MOE, gpu_bytes)
        assert [(finding.id, finding.severity) for finding in found] == [
            ("memory:gpu", "warn"),
            ("memory:kv_cache", "info"),
        ]
    assert found[1].title == "A replica holds 12 trials of full length at once"


def test_the_cure_of_a_thin_margin_is_one(tmp_path: Path) -> None:
    found = of_gpu(judge_gpu_memory(gpu_profile(tmp_path, verl=TIGHT), MOE, GPU_BYTES))
    sequence, tokens = (
        8,
        fitting_tokens(MOE, gpu_profile(tmp_path, verl=TIGHT), 0.9 * GPU_BYTES) // 1024 * 1024,
    )
    assert f"ulysses_sequence_parallel_size to {sequence}" in found.cure
    assert f"ppo_max_token_len_per_gpu to {tokens}" in found.cure
    mended = gpu_profile(
        tmp_path,
        verl={
            "actor_rollout_ref.actor.ulysses_sequence_parallel_size": sequence,
            "actor_rollout_ref.actor.ppo_max_token_len_per_gpu": tokens,
        },
    )
    assert of_gpu(judge_gpu_memory(mended, MOE, GPU_BYTES)).severity == "info"


def test_every_part_and_the_margin_are_shown(tmp_path: Path) -> None:
    seen = of_gpu(judge_gpu_memory(gpu_profile(tmp_path, verl=TIGHT), MOE, GPU_BYTES)).evidence
    assert "85.5 GB a GPU, margin 2%" in seen
    for part in (
        "weights 15.3",
        "gradients 15.3",
        "optimizer 30.5",
        "logits 10.0",
        "rollout 51.3 GB (vLLM 51.3)",
    ):
        assert part in seen


def test_what_cannot_fit_is_fatal_with_the_nodes_that_it_needs(tmp_path: Path) -> None:
    found = of_gpu(judge_gpu_memory(gpu_profile(tmp_path, rollout=SHORT, verl=TIGHT), MOE, 40 * 10**9))
    assert found.severity == "fatal"
    assert found.cure.startswith("Set infrastructure.nnodes to 5")


def test_a_small_model_leaves_room(tmp_path: Path) -> None:
    config = gpu_profile(
        tmp_path, rollout=SHORT, verl={"actor_rollout_ref.actor.ppo_max_token_len_per_gpu": 16384}
    )
    found = judge_gpu_memory(config, DENSE, GPU_BYTES)
    assert {finding.severity for finding in found} == {"info"}


def test_a_trainer_that_stays_beside_a_large_share_is_told_to_leave(tmp_path: Path) -> None:
    kept = gpu_profile(
        tmp_path,
        engine={"gpu_memory_utilization": 0.7},
        verl={f"{FSDP}.param_offload": False, f"{FSDP}.optimizer_offload": False},
    )
    found = of_gpu(judge_gpu_memory(kept, MOE, GPU_BYTES))
    assert found.severity == "fatal"
    assert found.cure == f"Set {FSDP}.optimizer_offload to true in section verl"


def test_a_cache_without_room_for_one_trial_is_fatal_with_the_share_that_has_it(tmp_path: Path) -> None:
    small = gpu_profile(tmp_path, engine={"gpu_memory_utilization": 0.2})
    found = judge_gpu_memory(small, MOE, GPU_BYTES)[1]
    assert (found.id, found.severity) == ("memory:kv_cache", "fatal")
    assert found.cure == "Set engine.gpu_memory_utilization to 0.22"
    mended = gpu_profile(tmp_path, engine={"gpu_memory_utilization": 0.22})
    assert judge_gpu_memory(mended, MOE, GPU_BYTES)[1].severity == "info"


def test_unknown_gpus_are_not_measured_and_the_need_is_told(tmp_path: Path) -> None:
    (found,) = judge_gpu_memory(gpu_profile(tmp_path), MOE, None)
    assert (found.id, found.severity) == ("memory:gpu", "skipped")
    assert "update 76.6 GB" in found.evidence


def test_another_trainer_than_fsdp_is_not_estimated(tmp_path: Path) -> None:
    config = gpu_profile(tmp_path, verl={"actor_rollout_ref.actor.strategy": "megatron"})
    (found,) = judge_gpu_memory(config, MOE, GPU_BYTES)
    assert found.severity == "skipped" and "megatron" in found.title


def test_a_cpu_run_takes_none(make_context: Callable[..., Context]) -> None:
    (found,) = check_gpu_memory(make_context())
    assert (found.id, found.severity) == ("memory:gpu", "info")


def scripted_driver(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of nvidia-smi."""
    folder.mkdir()
    (folder / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_the_smallest_gpu_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted_driver(tmp_path / "bin", "echo 81559; echo 40960", monkeypatch)
    assert gpu_memory_bytes() == 40960 << 20


@pytest.mark.parametrize(
    "script",
    ["exit 9", "echo '[N/A]'", "exec sleep 60", "sleep 60 & sleep 60"],
    ids=["fails", "na", "hangs", "hangs_beyond_its_end"],
)
def test_a_driver_that_does_not_say_gives_nothing(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_driver(tmp_path / "bin", script, monkeypatch)
    began = time.monotonic()
    assert gpu_memory_bytes(timeout_s=0.5) is None
    assert time.monotonic() - began < 10


def test_the_question_reads_driver_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted_driver(tmp_path / "bin", "for gpu in 1 2 3 4 5 6 7 8; do echo 81559; done", monkeypatch)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").write_text(json.dumps(QWEN3_30B_A3B))
    config = gpu_profile(tmp_path, model={"path": str(tmp_path / "m")})
    found = check_gpu_memory(Context(config, GPU_HOST))
    assert [finding.severity for finding in found] == ["info", "info"]
