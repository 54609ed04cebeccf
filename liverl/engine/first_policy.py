"""Makes the small policy as the first thing of an attempt, where the run is to train it and nobody has made it."""

from __future__ import annotations

import re
import subprocess
import sys

from liverl.config import RunConfig
from liverl.errors import PolicyError
from liverl.record.events import post_event
from liverl.record.layout import RunDir

_SHARE = re.compile(r"^\s*(\d+)%  (\S.*)$")
_TOLD_EVERY = 20
# 113 to 116 s in three runs on 2 cores.
_USUAL_S = 115


def ensure_policy(run: RunDir, config: RunConfig, attempt: int) -> None:
    """Build it where it is missing, telling how far it is; raises `PolicyError` when that fails.

    The builder's own words go to the attempt's log.
    """
    folder = config.model.folder
    if config.model.path or (folder / "config.json").is_file():
        return
    command = [
        sys.executable,
        "-m",
        "liverl.policy",
        "--out",
        str(folder),
        "--seed",
        str(config.experiment.seed),
    ]
    tell(run, attempt, f"building the policy in {folder} (about two minutes)", usual_s=_USUAL_S)
    builder = subprocess.Popen(
        [*command, "--train", str(config.data.train)], stdout=subprocess.PIPE, text=True, errors="replace"
    )
    told = 0
    assert builder.stdout is not None
    for line in builder.stdout:
        print(line, end="", flush=True)
        share = _SHARE.match(line)
        if share and int(share[1]) >= told + _TOLD_EVERY:
            told = int(share[1])
            tell(run, attempt, f"building the policy: {told} %, {share[2]}", usual_s=_USUAL_S)
    if builder.wait() != 0:
        raise PolicyError(
            "policy.build_failed",
            f"The policy could not be built (exit status {builder.returncode}).",
            next_action=f"liverl logs {run.name}",
        )


def tell(run: RunDir, attempt: int, message: str, usual_s: float | None = None) -> None:
    """Post what the boot is at, and how many seconds it usually takes where that is not the stage's own time."""
    usual = {} if usual_s is None else {"usual_s": usual_s}
    post_event(run, "boot", attempt=attempt, stage="environment", message=message, **usual)
