"""The machine that numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("verl", "ray", "torch", "transformers", "litellm", "harbor")


def describe() -> dict[str, Any]:
    """Cores that this process may use, CPU model, memory in GiB, kernel, Python and the packages that matter."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": cpu_model(Path("/proc/cpuinfo").read_text(encoding="utf-8")),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def cpu_model(cpuinfo: str) -> str:
    """The first model named in the text of /proc/cpuinfo, else the architecture."""
    names = (line.partition(":")[2].strip() for line in cpuinfo.splitlines() if line.startswith("model name"))
    return next(names, platform.machine())


def is_same(one: Any, other: Any) -> bool:
    """Whether two machines are alike enough for their times to be compared."""
    return all(one.get(key) == other.get(key) for key in ("cores", "cpu", "memory_gib"))


def sentence(machine: Any) -> str:
    """One line for a reader."""
    packages = ", ".join(f"{name} {number}" for name, number in machine.get("packages", {}).items())
    return (
        f"{machine['cores']} cores of {machine['cpu']}, {machine['memory_gib']} GiB, Linux {machine['kernel']}, "
        f"Python {machine['python']}" + (f"; {packages}" if packages else "")
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
