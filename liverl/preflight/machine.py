"""The machine's facts: GPUs, cores this process may use, memory, as limited by cgroups."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from liverl.config import Facts

_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_CGROUP_USED = (Path("/sys/fs/cgroup/memory.current"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"))


def machine_facts() -> Facts:
    """What this machine has; takes up to 10 s where a GPU driver hangs."""
    return Facts(gpus=_gpus(), cores=len(os.sched_getaffinity(0)), memory_gb=round(_total_bytes() / 1e9, 1))


def available_bytes() -> int:
    """Memory that can still be taken before this machine or container runs out."""
    free = _meminfo("MemAvailable")
    limit = _cgroup(_CGROUP_LIMITS)
    return min(free, limit - (_cgroup(_CGROUP_USED) or 0)) if limit else free


def _total_bytes() -> int:
    return min(_meminfo("MemTotal"), _cgroup(_CGROUP_LIMITS) or 1 << 62)


def _meminfo(name: str) -> int:
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _cgroup(files: tuple[Path, ...]) -> int | None:
    """The first readable number; None where there is none, or the limit is as good as none."""
    for file in files:
        try:
            value = int(file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            continue
        return value if value < 1 << 60 else None
    return None


def _gpus() -> int:
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is not None:
        return sum(1 for part in hidden.split(",") if part.strip() and part.strip() != "-1")
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return sum(1 for device in Path("/dev").glob("nvidia*") if re.fullmatch(r"nvidia\d+", device.name))
    return sum(1 for line in listed.stdout.splitlines() if line.startswith("GPU "))
