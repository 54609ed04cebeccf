"""Can the trackers that were asked for be used: a key for Weights & Biases, TensorBoard's package?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

_WANDB = "https://api.wandb.ai"


def check_trackers(context: Context) -> list[Finding]:
    """Fatal where Weights & Biases is to be online and there is no key; never shows the key."""
    logging = context.config.logging
    netrc = Path(os.environ.get("NETRC", "~/.netrc")).expanduser()
    return [
        *judge_wandb(logging.wandb, os.environ, netrc),
        *(judge_tensorboard(context.config.experiment.run_root) if logging.tensorboard else []),
    ]


def judge_wandb(mode: str, environment: Mapping[str, str], netrc: Path) -> list[Finding]:
    """The finding for a mode, an environment and a .netrc file, which need not exist."""
    if mode != "online":
        return [Finding("wandb:not_needed", "info", f"Weights & Biases is {mode}")]
    if environment.get("WANDB_API_KEY"):
        return [Finding("wandb:key", "info", "Weights & Biases has a key", "WANDB_API_KEY is set")]
    host = urlsplit(environment.get("WANDB_BASE_URL") or _WANDB).hostname or ""
    try:
        if host and host in netrc.read_text(encoding="utf-8", errors="replace"):
            return [Finding("wandb:key", "info", "Weights & Biases has a key", str(netrc))]
    except OSError:
        pass
    cure = "export WANDB_API_KEY=..., or set logging.wandb to offline"
    return [Finding("wandb:no_key", "fatal", "Weights & Biases is to be online and has no key", "", cure)]


def judge_tensorboard(run_root: Path) -> list[Finding]:
    """Where the event files go: into the run directory, whatever TENSORBOARD_DIR says."""
    return [
        Finding(
            "tensorboard:place", "info", "TensorBoard's files go into the run", f"{run_root}/NAME/tensorboard"
        )
    ]
