"""The machine's facts: GPUs, cores this process may use, memory, as limited by cgroups."""

from __future__ import annotations

import os
import re
from pathlib import Path

from liverl.config import Facts
from liverl.preflight.programs import ask_program

_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_CGROUP_USED = (Path("/sys/fs/cgroup/memory.current"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"))

# A driver that does not answer by then is taken to hang; its device files are counted instead.
DRIVER_LIMIT_S = 4.0


def machine_facts() -> Facts:
    """What this machine has; takes up to 4.5 s where a GPU driver hangs."""
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
    if hidden is not None and not hidden.strip():
        return 0
    try:
        listed = ask_program(("nvidia-smi", "-L"), DRIVER_LIMIT_S)
    except OSError:
        listed = None
    if listed is None or not listed.worked:
        devices = [path for path in Path("/dev").glob("nvidia*") if re.fullmatch(r"nvidia\d+", path.name)]
        return len(devices) if hidden is None else min(len(devices), len(hidden.split(",")))
    return visible_gpus(listed.out, hidden)


def visible_gpus(listed: str, hidden: str | None) -> int:
    """How many GPUs of `nvidia-smi -L` a process sees under CUDA_VISIBLE_DEVICES (None: it is unset).

    As CUDA counts them: the first name that there is no GPU for ends the list.
    """
    lines = [line for line in listed.splitlines() if line.startswith("GPU ")]
    if hidden is None:
        return len(lines)
    names = [name.strip() for name in hidden.split(",")]
    known = {str(index) for index in range(len(lines))}
    count = 0
    for name in names:
        if name not in known and not (name.startswith(("GPU-", "MIG-")) and name in listed):
            break
        count += 1
    return count
