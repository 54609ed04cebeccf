"""Is there a key for the tracker that was asked for?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding


def check_trackers(context: Context) -> list[Finding]:
    """Fatal where Weights & Biases is to be online and there is no key; never shows the key."""
    return judge_wandb(context.config.logging.wandb, os.environ, Path.home() / ".netrc")


def judge_wandb(mode: str, environment: Mapping[str, str], netrc: Path) -> list[Finding]:
    """The finding for a mode, an environment and a .netrc file, which need not exist."""
    if mode != "online":
        return [Finding("wandb:not_needed", "info", f"Weights & Biases is {mode}")]
    if environment.get("WANDB_API_KEY"):
        return [Finding("wandb:key", "info", "Weights & Biases has a key", "WANDB_API_KEY is set")]
    try:
        if "api.wandb.ai" in netrc.read_text(encoding="utf-8", errors="replace"):
            return [Finding("wandb:key", "info", "Weights & Biases has a key", str(netrc))]
    except OSError:
        pass
    cure = "export WANDB_API_KEY=..., or set logging.wandb to offline"
    return [Finding("wandb:no_key", "fatal", "Weights & Biases is to be online and has no key", "", cure)]
