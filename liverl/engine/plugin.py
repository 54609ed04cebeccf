"""What verl imports in every process (`VERL_USE_EXTERNAL_MODULES=liverl.engine.plugin`): telling, and a CPU's parts."""

from __future__ import annotations

import os
from typing import Any

from liverl.engine.parts import watch_in_driver
from liverl.engine.stages import ray_works, told


def _replica() -> Any:
    from liverl.engine.cpu.replica import CpuReplica

    return CpuReplica


def load() -> None:
    """Tell how the boot gets on; where `VERL_PLATFORM=cpu` register and patch what a machine without a GPU needs.

    Nothing heavy is imported here: this runs in every Ray worker that touches verl.
    """
    ray_works()
    watch_in_driver()  # whoever of Ray and its actors dies ends the trainer, by name
    if os.environ.get("VERL_PLATFORM") == "cpu":
        _load_cpu()
    else:
        _tell_of_vllm()


def _tell_of_vllm() -> None:
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    original = RolloutReplicaRegistry._registry["vllm"]
    RolloutReplicaRegistry.register("vllm", lambda: told(original()))


def _load_cpu() -> None:
    from liverl.engine import patches
    from liverl.engine.cpu import platform

    platform.register()
    patches.apply()

    from verl.checkpoint_engine.base import CheckpointEngineRegistry
    from verl.workers.rollout import base
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    from liverl.engine.cpu.transfer import FileTransfer

    CheckpointEngineRegistry.register("liverl_file")(FileTransfer)
    base._ROLLOUT_REGISTRY["liverl_cpu", "async"] = "liverl.engine.cpu.replica.CpuAdapter"
    RolloutReplicaRegistry.register("liverl_cpu", _replica)


load()
