"""What the config has to know of the machine, handed in as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """The hardware a run would get: GPUs, CPU cores this process may use, memory in GB (10**9 bytes)."""

    gpus: int
    cores: int
    memory_gb: float
