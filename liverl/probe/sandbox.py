"""Can a sandbox be made here, and by which limits?"""

from __future__ import annotations

from typing import Any

from liverl.config import RunConfig
from liverl.sandbox.facts import probe_sandbox


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """`SandboxFacts` as JSON, from a real sandbox where one can be started."""
    return probe_sandbox()
