"""After verl saved a checkpoint: an event, and at the end of training the policy as a Hugging Face folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import torch
from torch.distributed.tensor import DTensor, Shard
from verl.trainer.ppo.checkpoint_callback import CheckpointCallback
from verl.utils.checkpoint.checkpoint_manager import find_latest_ckpt_path

from liverl.errors import EngineError
from liverl.record.events import post_event
from liverl.record.layout import RunDir


class CheckpointEvents(CheckpointCallback):
    """verl's checkpoint callback (`trainer.checkpoint_callback_class`); the trainer makes it before anything else."""

    def __init__(self, config: Any = None) -> None:
        """Make up for an export that a kill cut off: where all steps are made, verl saves nothing any more."""
        super().__init__(config=config)
        checkpoint = _last_checkpoint(config.trainer)
        run = _run()
        if checkpoint is not None and _exports() and not run.policy.is_dir():
            _export(run, checkpoint, config.trainer.total_training_steps)

    def on_save(
        self, trainer: Any, global_step: int, checkpoint_dir: str, async_save: bool = False, **_: object
    ) -> None:
        """Say that the checkpoint is whole; export the policy after the last step."""
        run = _run()
        folder = Path(checkpoint_dir)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        where = str(folder.relative_to(run.root)) if folder.is_relative_to(run.root) else str(folder)
        post_event(run, "checkpoint", step=global_step, path=where, size_bytes=size)
        if global_step >= trainer.total_training_steps and _exports():
            _export(run, folder, global_step)


def _run() -> RunDir:
    return RunDir(Path(os.environ["LIVERL_RUN_DIR"]))


def _exports() -> bool:
    return os.environ.get("LIVERL_EXPORT") == "1"


def _last_checkpoint(trainer: Any) -> Path | None:
    """The checkpoint that verl will go on from, if no step is left to make after it."""
    found = find_latest_ckpt_path(trainer.default_local_dir) if trainer.resume_mode == "auto" else None
    if found is None or int(found.rpartition("_")[2]) < trainer.total_training_steps:
        return None
    return Path(found)


def _export(run: RunDir, checkpoint: Path, step: int) -> None:
    export_policy(checkpoint, run.policy)
    post_event(run, "exported", step=step, path=run.policy.name)


def export_policy(checkpoint: Path, out: Path) -> None:
    """Write a checkpoint's weights as a Hugging Face folder, in the precision they were trained in; replaces `out`.

    verl's own merger rounds to bfloat16 (verl/model_merger/fsdp_model_merger.py), so that what it exports is not the
    policy that was validated.
    """
    from transformers import AutoConfig, AutoModelForCausalLM

    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(checkpoint / "actor" / "huggingface", partial)
    weights = merged_weights(checkpoint / "actor")
    precision = next(iter(weights.values())).dtype
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(partial), dtype=precision)
    model.load_state_dict(weights)
    model.save_pretrained(partial)
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)


def merged_weights(actor: Path) -> dict[str, torch.Tensor]:
    """Full tensors by name, from the shards of all ranks in an FSDP checkpoint's `actor` folder."""
    files = sorted(
        actor.glob("model_world_size_*_rank_*.pt"), key=lambda path: int(path.stem.rpartition("_")[2])
    )
    if not files:
        raise EngineError("engine.no_shards", "the checkpoint has no model shards", evidence=str(actor))
    # The shards are DTensors, which only full unpickling restores; they are this run's own files.
    ranks = [torch.load(path, map_location="cpu", weights_only=False, mmap=True) for path in files]
    return {name: _joined([rank[name] for rank in ranks]) for name in ranks[0]}


def _joined(pieces: list[torch.Tensor]) -> torch.Tensor:
    first = pieces[0]
    if not isinstance(first, DTensor):
        return first
    local = [piece.to_local() if isinstance(piece, DTensor) else piece for piece in pieces]
    placement = first.placements[-1]
    return torch.cat(local, dim=placement.dim) if isinstance(placement, Shard) else local[0]
