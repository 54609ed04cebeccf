"""Makes the small policy."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from liverl.config import RunConfig
from liverl.errors import PolicyError
from liverl.operate.dataplane import Relay, relay
from liverl.operate.planning import python_of

_MODEL_FILE = "config.json"


@dataclass(frozen=True)
class Built:
    """A policy folder that was made; `report` is the builder's own last line."""

    path: str
    seed: int
    seconds: float
    report: str


def is_missing(config: RunConfig) -> bool:
    """Whether a run would have to build its policy first."""
    return not config.model.path and not (config.model.folder / _MODEL_FILE).is_file()


def build(config: RunConfig, on_line: Relay, *, out: Path | None = None, seed: int | None = None) -> Built:
    """Build the policy, relaying progress; raises `PolicyError` when that fails."""
    out = (out or config.model.built_path).absolute()
    seed = config.experiment.seed if seed is None else seed
    begun = time.monotonic()
    arguments = ["--out", str(out), "--seed", str(seed), "--train", str(config.data.train)]
    ended = relay("liverl.policy", arguments, on_line, python=python_of(config))
    if ended.exit_status != 0:
        raise PolicyError(
            "policy.build_failed",
            f"The policy could not be built (exit status {ended.exit_status}).",
            evidence="\n        ".join(ended.lines[-6:]),
            next_action="liverl check",
        )
    return Built(str(out), seed, time.monotonic() - begun, ended.lines[-1] if ended.lines else "")
