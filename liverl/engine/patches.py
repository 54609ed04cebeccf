"""Every change of somebody else's code, each with the place it touches, why, and a test of whether it is still needed.

- `gloo_once`: verl/utils/distributed.py `initialize_global_process_group_ray` asks torch for `cpu:gloo,cpu:gloo`, which
  torch refuses as a duplicate device
- `plain_offload`: verl/utils/fsdp_utils.py `CPUOffloadPolicy`, with which verl builds the reference policy, pins
  memory, which needs an accelerator

`apply()` refuses any other verl than the one these were written for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Any

from liverl.errors import EngineError

VERL_VERSION = "0.9.1"


def gloo_once() -> None:
    """Let a CPU worker ask for gloo once."""
    from verl.utils import distributed

    original: Callable[..., Any] = distributed.initialize_global_process_group_ray

    @wraps(original)
    def initialize(timeout_second: int | None = None, backend: str | None = None) -> Any:
        return original(timeout_second, backend or "cpu:gloo")

    distributed.initialize_global_process_group_ray = initialize


def plain_offload() -> None:
    """Give verl's forward-only engines a policy without pinned memory."""
    import torch.distributed.fsdp as fsdp
    from verl.utils import fsdp_utils

    def unpinned(pin_memory: bool = True) -> fsdp.OffloadPolicy:
        return fsdp.OffloadPolicy()

    fsdp_utils.CPUOffloadPolicy = unpinned


CPU_PATCHES = (gloo_once, plain_offload)


def apply() -> None:
    """Apply the CPU patches; EngineError when the installed verl is not the one they were written for."""
    installed = version("verl")
    if installed != VERL_VERSION:
        raise EngineError(
            "engine.verl_version",
            f"the CPU patches were written for verl {VERL_VERSION}",
            evidence=f"verl {installed} is installed",
            next_action="bash scripts/setup_env.sh",
        )
    for patch in CPU_PATCHES:
        patch()
