"""Failures in the training worker: NaN gradients, a weight sync that sends old weights, a host without memory."""

from __future__ import annotations

import time
from functools import wraps
from typing import Any

import psutil
import torch

from liverl.drill.onset import Onset
from liverl.engine.cpu.replica import CpuAdapter

_CHUNK = 128 * 1024 * 1024
_PAUSE_S = 0.1
_LEFT = 2 * 1024**3
"""Bytes that stay available to everybody else, whatever happens."""

Named = list[tuple[str, torch.Tensor]]


class DrillAdapter(CpuAdapter):
    """The rollout half of the training worker, which learns of every step and so tells when a failure begins."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        onset = Onset.of_environment()
        assert onset is not None, "the drill's adapter is registered by the drill's plugin alone"
        self._onset = onset
        self._sent: Named = []
        if onset.name == "nan":
            make_gradients_nan(onset)

    async def update_weights(
        self,
        weights: Any,
        wire_format: str = "named_tensors",
        global_steps: int | None = None,
        **more: object,
    ) -> None:
        """Send the weights as always, or those of the last sync before the failure began."""
        has_begun = self._onset.reach(global_steps or 0)
        if has_begun and self._onset.name == "host-memory":
            fill_memory()
        named = await _drained(weights)
        if self._onset.name == "frozen-weight-sync":
            named = self._sent = self._sent if has_begun and self._sent else named
        await super().update_weights(iter(named), wire_format, global_steps, **more)


def make_gradients_nan(onset: Onset) -> None:
    """From the onset on every gradient is NaN when the optimizer looks at it."""
    from verl.workers.engine.fsdp.transformer_impl import FSDPEngine

    original = FSDPEngine.optimizer_step

    @wraps(original)
    def optimizer_step(self: Any) -> Any:
        if onset.has_come():
            for parameter in self.module.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(float("nan"))
        return original(self)

    FSDPEngine.optimizer_step = optimizer_step


def fill_memory() -> None:
    """Take memory and touch it until somebody ends this process, or only 2 GiB are left to everybody else."""
    held = []
    while psutil.virtual_memory().available > _LEFT + _CHUNK:
        held.append(torch.ones(_CHUNK, dtype=torch.uint8))
        time.sleep(_PAUSE_S)
    raise MemoryError(f"only {_LEFT >> 30} GiB are left on this host, and nobody has ended this process")


async def _drained(weights: Any) -> Named:
    """Every tensor of a generator, copied: gathering is collective, so each rank has to draw all of them."""
    if hasattr(weights, "__aiter__"):
        return [(name, tensor.detach().cpu().clone()) async for name, tensor in weights]
    return [(name, tensor.detach().cpu().clone()) for name, tensor in weights]
