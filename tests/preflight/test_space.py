"""Disk, memory and places: numbers in, findings with those numbers out."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.disk import check_disk, judge_disk
from liverl.preflight.memory import check_memory, host_bytes, judge_memory
from liverl.preflight.model_facts import facts_of
from liverl.preflight.places import check_places
from liverl.preflight.trackers import judge_wandb
from liverl.preflight.weights import count_parameters
from tests.preflight.conftest import MakeConfig
from tests.preflight.shapes import QWEN3_8B, QWEN3_30B_A3B, gpu_profile

MakeContext = Callable[..., Context]
MakeModel = Callable[..., Path]


def test_parameters_are_counted_from_headers(make_model: MakeModel, tmp_path: Path) -> None:
    assert count_parameters(make_model(tmp_path / "m", parameters=1_000_000_000)) == 1_000_000_000


def test_shards_that_an_index_names_are_counted_once(make_model: MakeModel, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "m", parameters=1_000)
    for name in ("model-00001-of-00002", "model-00002-of-00002", "consolidated-00001"):
        shutil.copy(folder / "model.safetensors", folder / f"{name}.safetensors")
    (folder / "model.safetensors").unlink()
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    assert count_parameters(folder) == 2_000
    (folder / "model.safetensors.index.json").unlink()
    assert count_parameters(folder) == 2_000


@pytest.mark.parametrize(("dtype", "parameters"), [("bfloat16", 500), ("float32", 250), ("odd", 500)])
def test_old_weight_files_are_counted_by_their_dtype(dtype: str, parameters: int, tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(bytes(1000))
    (tmp_path / "config.json").write_text(json.dumps({"torch_dtype": dtype}))
    assert count_parameters(tmp_path) == parameters


@pytest.mark.parametrize(
    "content", [b"", b"\x00", b"\xff" * 8, b"\x02" + bytes(7) + b"[]", b"\x01" + bytes(7) + b"{"]
)
def test_a_torn_weight_file_is_no_obstacle_to_the_estimate(
    content: bytes, make_config: MakeConfig, make_model: MakeModel, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    (folder / "model.safetensors").write_bytes(content)
    (finding,) = judge_disk(make_config(model={"path": str(folder)}), 10**13, tmp_path)
    assert finding.id == "disk:enough"


def test_a_disk_without_room_for_two_checkpoints_is_fatal(
    make_config: MakeConfig, make_model: MakeModel, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m", parameters=1_000_000_000)
    config = make_config(model={"path": str(folder)})
    (finding,) = judge_disk(config, 20_000_000_000, tmp_path)
    assert (finding.id, finding.severity) == ("disk:full", "fatal")
    assert "1000.0 million parameters make a checkpoint of 12.0 GB" in finding.evidence


def test_a_disk_that_may_fill_up_is_a_warning(
    make_config: MakeConfig, make_model: MakeModel, tmp_path: Path
) -> None:
    config = make_config(model={"path": str(make_model(tmp_path / "m", parameters=1_000_000_000))})
    (finding,) = judge_disk(config, 40_000_000_000, tmp_path)
    assert (finding.id, finding.severity) == ("disk:low", "warn")


def test_what_a_step_writes_is_told(make_config: MakeConfig, make_model: MakeModel, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "m", parameters=1_000_000_000)
    config = make_config(model={"path": str(folder)}, checkpoint={"save_freq": 4})
    (finding,) = judge_disk(config, 10**13, tmp_path)
    assert finding.evidence.endswith("3.0 GB are written a step")


def test_this_machines_disk_is_read(make_context: MakeContext) -> None:
    (finding,) = check_disk(make_context())
    assert finding.id.startswith("disk:")


@pytest.mark.parametrize(
    ("available", "id_"), [(3e9, "memory:short"), (6e9, "memory:tight"), (24e9, "memory:enough")]
)
def test_memory_is_judged_by_what_trainer_and_sandboxes_take(
    make_config: MakeConfig, available: float, id_: str
) -> None:
    (finding,) = judge_memory(make_config(), int(available))
    assert finding.id == id_
    assert f"{available / 1e9:.1f} GB" in finding.evidence


def test_a_large_model_on_cpus_needs_its_training_state_in_memory(make_config: MakeConfig) -> None:
    model = facts_of(QWEN3_8B)
    (finding,) = judge_memory(make_config(), 100 * 10**9, model)
    assert (finding.id, finding.severity) == ("memory:short", "fatal")
    assert "the model on the host 163.8 GB" in finding.evidence


def test_what_verl_offloads_lies_in_the_hosts_memory(tmp_path: Path) -> None:
    model = facts_of(QWEN3_30B_A3B)
    # The profile offloads masters and optimizer: 12 bytes a parameter on one node.
    assert host_bytes(gpu_profile(tmp_path), model) == 12 * model.parameters
    fsdp = "actor_rollout_ref.actor.fsdp_config"
    kept = {f"{fsdp}.param_offload": False, f"{fsdp}.optimizer_offload": False}
    # Loading reads the whole model in fp32 on one rank, on all eight where the embeddings are tied.
    assert host_bytes(gpu_profile(tmp_path, verl=kept), model) == 4 * model.parameters
    tied = facts_of({**QWEN3_8B, "tie_word_embeddings": True})
    assert host_bytes(gpu_profile(tmp_path, verl=kept), tied) == 8 * 4 * tied.parameters


def test_a_reference_policy_lies_in_the_hosts_memory(tmp_path: Path) -> None:
    model = facts_of(QWEN3_30B_A3B)
    with_kl = gpu_profile(tmp_path, algorithm={"use_kl_loss": True})
    assert host_bytes(with_kl, model) == 16 * model.parameters


def test_this_machines_memory_is_read(make_context: MakeContext) -> None:
    (finding,) = check_memory(make_context())
    assert "0.0 GB can be taken" not in finding.evidence


def test_a_run_root_that_is_a_file_is_fatal(make_context: MakeContext, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    (finding,) = check_places(make_context())
    assert (finding.id, finding.severity) == ("place:not_writable", "fatal")
    assert "experiment.run_root" in finding.cure


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_run_root_without_rights_is_fatal(make_context: MakeContext, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir(mode=0o500)
    (finding,) = check_places(make_context())
    assert finding.id == "place:not_writable"


def test_looking_makes_no_folder(make_context: MakeContext, tmp_path: Path) -> None:
    check_places(make_context())
    assert not (tmp_path / "runs").exists()


def test_an_online_tracker_needs_a_key_and_never_shows_it(tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    (without,) = judge_wandb("online", {}, netrc)
    assert (without.id, without.severity) == ("wandb:no_key", "fatal")
    (with_key,) = judge_wandb("online", {"WANDB_API_KEY": "very-secret"}, netrc)
    assert with_key.severity == "info" and "very-secret" not in str(with_key)
    netrc.write_text("machine api.wandb.ai password x")
    assert judge_wandb("online", {}, netrc)[0].severity == "info"
    assert judge_wandb("offline", {}, tmp_path / "none")[0].severity == "info"
