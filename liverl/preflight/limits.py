"""Do this user's limits let a run work: open files, processes, shared memory, what the kernel promises?"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from liverl.config import RunConfig
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.machine import available_bytes
from liverl.preflight.overrides import verl_value
from liverl.preflight.room import Room, process_rooms

SHM = Path("/dev/shm")
# Ray 2.60 raises its own limit to at most this, complains below the next, and asks for the last (_private/worker.py).
_RAISED_TO, _RAY_COMPLAINS, _RAY_ASKS = 65536, 4096, 8192
# Ray's object store where nothing is set: a share of the memory, at most so much (_private/utils.py), and the size
# above which Ray refuses to keep it outside of /dev/shm.
_STORE_SHARE, _STORE_MOST, _STORE_REFUSED = 0.3, 200 * 10**9, 10**10
_STORE_ON_CPU = 512 << 20
# NVIDIA's guide for containers: --shm-size=1g (NCCL, Troubleshooting, Shared memory).
_NCCL_SHM = 1 << 30
_STORE_KEY = "ray_kwargs.ray_init.object_store_memory"


@dataclass(frozen=True)
class Limits:
    """What was read of this machine: limits of open files, places for processes, /dev/shm in bytes, the memory that
    can be taken, and whether the kernel promises no more memory than it has."""

    files_soft: int
    files_hard: int
    processes: tuple[Room, ...]
    shm_bytes: int
    shm_free_bytes: int
    available_bytes: int
    overcommit: int = 0


def check_limits(context: Context) -> list[Finding]:
    """Warnings for limits that are too low, fatal where Ray would not start."""
    return judge_limits(context.config, read_limits())


def read_limits() -> Limits:
    """The limits of this process, which those of a run are inherited from."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    shm = os.statvfs(SHM) if SHM.is_dir() else None
    return Limits(
        _finite(soft),
        _finite(hard),
        tuple(process_rooms()),
        shm.f_frsize * shm.f_blocks if shm else 0,
        shm.f_bsize * shm.f_bavail if shm else 0,
        available_bytes(),
        _overcommit(),
    )


def judge_limits(config: RunConfig, limits: Limits) -> list[Finding]:
    """The findings for these limits, or one that they suffice."""
    findings = [
        *_files(limits),
        *_processes(config, limits),
        *_shared_memory(config, limits),
        *_promises(limits),
    ]
    seen = (
        f"{limits.files_soft} open files (at most {limits.files_hard}); "
        f"{', '.join(room.told for room in limits.processes)}; "
        f"/dev/shm {_gb(limits.shm_free_bytes)} free of {_gb(limits.shm_bytes)}"
    )
    return findings or [Finding("limits:enough", "info", "The limits of this user suffice", seen)]


def store_bytes(config: RunConfig, limits: Limits) -> int:
    """What Ray's object store will take, in bytes."""
    given = verl_value(config, _STORE_KEY)
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    if config.engine.rollout == "cpu":
        return _STORE_ON_CPU
    most = min(_STORE_MOST, max(_STORE_REFUSED, int(0.95 * limits.shm_free_bytes)))
    return min(int(_STORE_SHARE * limits.available_bytes), most)


def _files(limits: Limits) -> Iterator[Finding]:
    reached = max(limits.files_soft, min(limits.files_hard, _RAISED_TO))
    if reached < _RAY_COMPLAINS:
        seen = f"{limits.files_soft} now, {limits.files_hard} at most; Ray asks for {_RAY_ASKS}"
        cure = f"ulimit -n {_RAY_ASKS}   where that is refused: nofile in /etc/security/limits.conf"
        yield Finding("limits:files", "warn", "Too few files may be open at once", seen, cure)


def _processes(config: RunConfig, limits: Limits) -> Iterator[Finding]:
    """Only sandboxes are counted: what Ray and verl take beside them was not measured on large machines."""
    sandboxes = config.trial.concurrency * config.sandbox.processes
    tight = [room for room in limits.processes if room.free < sandboxes]
    if tight:
        least = min(tight, key=lambda room: room.free)
        title = "Full sandboxes could take more processes than are left"
        seen = f"{least.told}; {config.trial.concurrency} sandboxes of {config.sandbox.processes} take {sandboxes}"
        fitting = max(1, least.free // config.sandbox.processes)
        yield Finding(
            "limits:processes", "warn", title, seen, f"{least.cure}, or set trial.concurrency to {fitting}"
        )


def _shared_memory(config: RunConfig, limits: Limits) -> Iterator[Finding]:
    store = store_bytes(config, limits)
    seen = f"{_gb(limits.shm_free_bytes)} free of {_gb(limits.shm_bytes)} in /dev/shm"
    cure = "ls -l /dev/shm   shows what may be deleted; a container gets more by docker run --shm-size"
    on_several = config.engine.rollout == "vllm" and config.infrastructure.gpus_per_node > 1
    if limits.shm_free_bytes < store:
        refused = store > _STORE_REFUSED
        what = "does not start" if refused else "goes to the disk, which is slow"
        title = f"/dev/shm is too small: Ray's object store {what}"
        evidence = f"{seen}, the store takes {_gb(store)}"
        yield Finding("shm:small", "fatal" if refused else "warn", title, evidence, cure)
    elif on_several and limits.shm_bytes < _NCCL_SHM:
        title = "/dev/shm is smaller than NCCL asks for"
        yield Finding("shm:small", "warn", title, f"{seen}, NCCL asks for 1 GiB", "docker run --shm-size=1g")


def _promises(limits: Limits) -> Iterator[Finding]:
    if limits.overcommit == 2:  # the kernel's Documentation/mm/overcommit-accounting.rst
        title = "The kernel promises no memory beyond what it has"
        seen = "vm.overcommit_memory is 2; Ray and PyTorch reserve address space that they never fill"
        cure = "sudo sysctl -w vm.overcommit_memory=0"
        yield Finding("limits:overcommit", "warn", title, seen, cure)


def _finite(limit: int) -> int:
    return limit if 0 <= limit < 1 << 62 else 1 << 30


def _overcommit() -> int:
    try:
        return int(Path("/proc/sys/vm/overcommit_memory").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.1f} GB"
