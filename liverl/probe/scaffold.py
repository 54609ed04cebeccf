"""Can the scaffold be used: is its name known, its binary there, its class importable?"""

from __future__ import annotations

from typing import Any

from liverl.config import RunConfig
from liverl.scaffold.registry import resolve


def answer(config: RunConfig, timeout_s: float) -> dict[str, Any]:
    """What is run; raises the scaffold's own error where it can't be."""
    found = resolve(config.scaffold.name, config.scaffold.options)
    return {"agent": found.import_path or found.name, "brings": list(found.read_only)}
