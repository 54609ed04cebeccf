"""A replica that says what a script says, so that any model writes a tool call.

ScriptedReplica   answers at once, with no model behind it
ScriptedBatcher   the CPU replica's own batcher: the model runs, only its choice of tokens is the script's
cpu_replica       the CPU replica over the model, with that batcher
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import torch

from liverl.engine.cpu.batcher import Batcher, Slot
from liverl.gateway.calls import Generate, Generation


class ScriptedReplica:
    """Answers every call with the script's tokens, each at log-probability 0."""

    def __init__(self, script: Sequence[int]) -> None:
        self.script = list(script)

    async def generate(self, session: str, prompt_ids: list[int], sampling: dict[str, Any]) -> Generation:
        """The script; the prompt is not read."""
        return Generation(self.script, [0.0] * len(self.script), "stop", 0)


class ScriptedBatcher(Batcher):
    """Chooses the script's tokens, at the log-probabilities that the model gives them."""

    def __init__(self, model: Any, script: Sequence[int], **options: Any) -> None:
        super().__init__(model, **options)
        self.script = list(script)

    def _sample(self, slots: list[Slot], hidden_BD: torch.Tensor) -> None:
        logprobs_BV = torch.log_softmax(self.model.lm_head(hidden_BD).float(), -1)
        for row, slot in enumerate(slots):
            assert slot.request is not None
            token = self.script[len(slot.request.token_ids)]
            self._append(slot, token, float(logprobs_BV[row, token]))


@contextlib.asynccontextmanager
async def cpu_replica(
    folder: Path, script: Sequence[int], *, capacity: int, threads: int
) -> AsyncIterator[Generate]:
    """The CPU replica over the model in `folder` for one request at a time of `capacity` tokens in all."""
    from liverl.engine.cpu.replica import BatchThread, CpuServer

    server = CpuServer(str(folder), slots=1, capacity=capacity, threads=threads, seed=0)
    server.thread.stop()
    batcher = ScriptedBatcher(
        server.model, script, slots=1, capacity=capacity, end_ids=server.thread.batcher.end_ids
    )
    server.thread = BatchThread(batcher)

    async def generate(session: str, prompt_ids: list[int], sampling: dict[str, Any]) -> Generation:
        output = await server.generate(prompt_ids, sampling, session)
        return Generation(list(output.token_ids), list(output.log_probs or ()), output.stop_reason or "", 0)

    try:
        yield generate
    finally:
        await asyncio.to_thread(server.thread.stop)
