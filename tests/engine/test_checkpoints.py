"""The exported policy is the trained one, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from liverl.engine.checkpoints import export_policy, merged_weights
from liverl.errors import EngineError


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
