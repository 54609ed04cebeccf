"""What verl finds under our names once it has loaded the plug-in."""

from __future__ import annotations

import os
import subprocess
import sys

_LOOK = """
import verl
from verl.checkpoint_engine import CheckpointEngineRegistry
from verl.plugin.platform import get_platform
from verl.workers.rollout.base import get_rollout_class
from verl.workers.rollout.replica import get_rollout_replica_class
print(
    CheckpointEngineRegistry.get("liverl_file").__name__,
    get_rollout_class("liverl_cpu", "async").__name__,
    get_rollout_replica_class("liverl_cpu").__name__,
    type(get_platform()).__name__,
)
"""


def test_replica_adapter_weight_transfer_and_platform_are_in_verls_registries() -> None:
    env = {**os.environ, "VERL_USE_EXTERNAL_MODULES": "liverl.engine.plugin", "VERL_PLATFORM": "cpu"}
    found = subprocess.run(
        [sys.executable, "-c", _LOOK], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.split()[-4:] == ["FileTransfer", "CpuAdapter", "CpuReplica", "CpuPlatform"]
