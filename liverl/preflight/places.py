"""Can the run write where it is told to?"""

from __future__ import annotations

import os

from liverl.preflight.context import Context, nearest_existing
from liverl.preflight.finding import Finding


def check_places(context: Context) -> list[Finding]:
    """Fatal where the run directory, or the policy that is still to be built, could not be made."""
    config = context.config
    wanted = {"experiment.run_root": config.experiment.run_root}
    if not config.model.path:
        wanted["model.built_path"] = config.model.built_path
    findings = []
    for key, path in wanted.items():
        there = nearest_existing(path)
        if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
            continue
        seen = f"{there} {'can not be written to' if there.is_dir() else 'is not a folder'}"
        cure = f"Set {key} ({context.where(key)}) to a folder that you may write to"
        findings.append(Finding("place:not_writable", "fatal", f"{key} can't be written", seen, cure))
    return findings or [Finding("place:writable", "info", f"Runs go to {config.experiment.run_root}")]
