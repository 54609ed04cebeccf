"""Weight transfer from the trainer to replicas of their own (the asynchronous modes), through shared memory files."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import torch
from verl.checkpoint_engine.base import CheckpointEngine

from liverl.errors import EngineError

WAIT_S = 120.0
POLL_S = 0.01


class FileTransfer(CheckpointEngine):
    """The sender's master writes one file by rename, every receiver reads it; one host only (`liverl_file` to verl)."""

    def __init__(
        self, bucket_size: int = 0, is_master: bool = False, root: str = "/dev/shm", **_: object
    ) -> None:
        self.is_master = is_master
        self.root = Path(root)
        self.path: Path | None = None

    def prepare(self) -> dict[str, str]:
        """The master names the file that this transfer goes through."""
        return (
            {"path": str(self.root / f"liverl-weights-{secrets.token_hex(8)}.pt")} if self.is_master else {}
        )

    @classmethod
    def build_topology(
        cls, actor_world: int, rollout_world: int, metadata: list[dict[str, str] | None]
    ) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Ranks of senders and receivers, and the one path for all."""
        path = next(m["path"] for m in metadata if m and "path" in m)
        senders = {"rank": list(range(actor_world)), "path": [path] * actor_world}
        receivers = {
            "rank": list(range(actor_world, actor_world + rollout_world)),
            "path": [path] * rollout_world,
        }
        return senders, receivers

    def init_process_group(self, rank: int, path: str) -> None:
        """Remember the file."""
        self.path = Path(path)

    def finalize(self) -> None:
        """Remove the file once everybody has read it."""
        if self.is_master and self.path is not None:
            self.path.unlink(missing_ok=True)

    async def send_weights(
        self, weights: Iterator[tuple[str, torch.Tensor]], global_steps: int | None = None
    ) -> dict[str, float]:
        """Gather on every rank, write on the master."""
        named = [(name, tensor.detach().cpu().clone()) for name, tensor in weights]
        if self.is_master and self.path is not None:
            partial = self.path.with_suffix(".partial")
            await asyncio.to_thread(torch.save, named, partial)
            partial.rename(self.path)
        return {}

    async def receive_weights(
        self, global_steps: int | None = None
    ) -> AsyncIterator[tuple[str, torch.Tensor]]:
        """Yield (name, tensor) pairs; EngineError when the sender does not deliver within two minutes."""
        assert self.path is not None
        waited = 0.0
        while not self.path.exists():
            if waited > WAIT_S:
                raise EngineError(
                    "engine.weights_late",
                    f"no weights arrived within {WAIT_S:.0f} s",
                    evidence=str(self.path),
                )
            await asyncio.sleep(POLL_S)
            waited += POLL_S
        for name, tensor in await asyncio.to_thread(torch.load, self.path, weights_only=True):
            yield name, tensor
