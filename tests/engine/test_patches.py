"""Each patch is still needed: without it, the installed upstream still fails."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from liverl.engine import patches
from liverl.errors import EngineError

_GLOO = """
import os
os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="0", DIST_INIT_METHOD="tcp://127.0.0.1:0")
{prepare}
from verl.utils import distributed
distributed.initialize_global_process_group_ray()
print("joined")
"""

_OFFLOAD = """
import torch
from torch.distributed import init_process_group
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
{prepare}
from verl.utils.fsdp_utils import CPUOffloadPolicy
init_process_group("gloo", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
layer = torch.nn.Linear(4, 4)
fully_shard(layer, mesh=init_device_mesh("cpu", (1,)), offload_policy=CPUOffloadPolicy(pin_memory=True))
layer(torch.ones(1, 4))
print("ran")
"""

_PLATFORM = "from liverl.engine.cpu import platform; import verl; platform.register(); "


def _run(script: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "VERL_PLATFORM": "cpu",
        "VERL_ENGINE_DEVICE": "cuda",
        "VERL_USE_EXTERNAL_MODULES": "",
    }
    return subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize(
    ("script", "patch", "symptom", "cured"),
    [
        (_GLOO, "gloo_once", "Duplicate device type", "joined"),
        (_OFFLOAD, "plain_offload", "NVIDIA driver", "ran"),
    ],
)
def test_a_patch_cures_what_upstream_still_has(script: str, patch: str, symptom: str, cured: str) -> None:
    without = _run(script.format(prepare=_PLATFORM))
    assert without.returncode != 0, f"upstream no longer needs patches.{patch}: remove it"
    assert symptom in without.stderr
    applied = _run(script.format(prepare=f"{_PLATFORM}from liverl.engine import patches; patches.{patch}()"))
    assert cured in applied.stdout, applied.stderr


def test_another_verl_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "VERL_VERSION", "0.0.1")
    with pytest.raises(EngineError, match="verl_version"):
        patches.apply()
