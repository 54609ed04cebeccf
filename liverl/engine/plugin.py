"""What verl imports in every process (`VERL_USE_EXTERNAL_MODULES=liverl.engine.plugin`) on a machine without a GPU."""

from __future__ import annotations

import os
from typing import Any


def _replica() -> Any:
    from liverl.engine.cpu.replica import CpuReplica

    return CpuReplica


def load() -> None:
    """Register platform, replica and weight transfer, and patch what has no hook, when `VERL_PLATFORM=cpu` says so.

    Nothing heavy is imported here: this runs in every Ray worker that touches verl.
    """
    if os.environ.get("VERL_PLATFORM") != "cpu":
        return
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
