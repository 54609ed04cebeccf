"""The exported policy is the trained one, bit for bit, and no finished run is without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from liverl.engine.checkpoints import CheckpointEvents, export_policy, merged_weights
from liverl.errors import EngineError
from liverl.record.events import each_posted
from liverl.record.layout import RunDir


@pytest.fixture(scope="module")
def mesh() -> Iterator[Any]:
    """A device mesh of this process alone."""
    from torch.distributed.device_mesh import init_device_mesh

    torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


def _checkpoint(model: Any, folder: Path, mesh: Any, ranks: int) -> Path:
    """Writes the shards that `ranks` trainer processes would, as verl's FSDP2 does."""
    from torch.distributed.tensor import DTensor, Shard

    actor = folder / "actor"
    model.config.save_pretrained(actor / "huggingface")
    for rank in range(ranks):
        shard = {
            name: DTensor.from_local(tensor.chunk(ranks)[rank].clone(), mesh, [Shard(0)])
            for name, tensor in model.state_dict().items()
        }
        torch.save(shard, actor / f"model_world_size_{ranks}_rank_{rank}.pt")
    return folder


@pytest.mark.parametrize("ranks", [1, 2])
def test_no_bit_is_lost_on_the_way_to_the_exported_folder(
    model: Any, tmp_path: Path, mesh: Any, ranks: int
) -> None:
    from transformers import AutoModelForCausalLM

    export_policy(_checkpoint(model, tmp_path / "step", mesh, ranks), tmp_path / "policy")
    exported = AutoModelForCausalLM.from_pretrained(tmp_path / "policy")
    assert exported.dtype == torch.float32
    for name, tensor in model.state_dict().items():
        assert torch.equal(exported.state_dict()[name], tensor), name


def test_an_export_replaces_the_earlier_one_as_a_whole(model: Any, tmp_path: Path, mesh: Any) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "old").write_text("")
    export_policy(_checkpoint(model, tmp_path / "step", mesh, 1), tmp_path / "policy")
    assert not (tmp_path / "policy" / "old").exists()


def test_a_checkpoint_without_shards_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no model shards"):
        merged_weights(tmp_path)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDir:
    """A run whose trainer exports its policy."""
    run = RunDir.create(tmp_path / "run")
    monkeypatch.setenv("LIVERL_RUN_DIR", str(run.root))
    monkeypatch.setenv("LIVERL_EXPORT", "1")
    return run


def _resumed(run: RunDir, step: int, **changes: Any) -> None:
    """What verl does first in an attempt that finds the checkpoint of `step`, in a run of four steps."""
    from omegaconf import OmegaConf

    (run.checkpoints / "latest_checkpointed_iteration.txt").write_text(str(step))
    trainer = {"default_local_dir": str(run.checkpoints), "resume_mode": "auto", "total_training_steps": 4}
    CheckpointEvents(config=OmegaConf.create({"trainer": {**trainer, **changes}}))


def test_an_export_that_a_kill_cut_off_is_made_when_the_run_is_resumed(
    model: Any, run: RunDir, mesh: Any
) -> None:
    _checkpoint(model, run.checkpoints / "global_step_4", mesh, 1)
    run.policy.with_name("policy.partial").mkdir()
    _resumed(run, 4)
    assert (run.policy / "model.safetensors").is_file()
    assert not run.policy.with_name("policy.partial").exists()
    [event] = list(each_posted(run))
    assert (event.kind, event.fields) == ("exported", {"step": 4, "path": "policy"})


def test_a_last_checkpoint_that_cannot_be_exported_fails_the_attempt(run: RunDir) -> None:
    (run.checkpoints / "global_step_4" / "actor" / "huggingface").mkdir(parents=True)
    with pytest.raises(EngineError, match="no model shards"):
        _resumed(run, 4)


@pytest.mark.parametrize(("step", "changes"), [(3, {}), (4, {"resume_mode": "disable"})])
def test_nothing_is_exported_while_steps_are_to_be_made(
    run: RunDir, step: int, changes: dict[str, Any]
) -> None:
    (run.checkpoints / f"global_step_{step}").mkdir()
    _resumed(run, step, **changes)
    assert not run.policy.exists()


def test_a_policy_that_was_exported_stays(run: RunDir) -> None:
    (run.checkpoints / "global_step_4").mkdir()
    run.policy.mkdir()
    _resumed(run, 4)
    assert list(each_posted(run)) == []
