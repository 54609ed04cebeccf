"""Is there room for the checkpoints and trials of the run?"""

from __future__ import annotations

import shutil
from pathlib import Path

from liverl.config import RunConfig
from liverl.preflight.context import Context, nearest_existing
from liverl.preflight.cost import checkpoint_bytes, export_bytes, step_bytes, trials_bytes
from liverl.preflight.finding import Finding
from liverl.preflight.model_facts import read_facts
from liverl.preflight.tasks import task_folders
from liverl.preflight.weights import SMALL_POLICY


def check_disk(context: Context) -> list[Finding]:
    """Fatal where two checkpoints don't fit, a warning where the whole run may not."""
    config = context.config
    place = nearest_existing(config.experiment.run_root)
    return judge_disk(config, shutil.disk_usage(place).free, place)


def judge_disk(config: RunConfig, free_bytes: int, place: Path) -> list[Finding]:
    """The finding for so much free space where the run directory will lie."""
    parameters, val_tasks = parameters_of(config), len(task_folders(config.data.val))
    checkpoint, export = checkpoint_bytes(config, parameters), export_bytes(config, parameters)
    trials = trials_bytes(config, val_tasks)
    least = 2 * checkpoint + export + trials // 10
    # The newest, the best, and the one that is being written.
    whole = (config.checkpoint.keep + 2) * checkpoint + export + trials
    evidence = (
        f"{_gb(free_bytes)} free on {place}; {parameters / 1e6:.1f} million parameters make a checkpoint of "
        f"{_gb(checkpoint)}, the trials about {_gb(trials)}, all of it at most {_gb(whole)}; "
        f"{_gb(step_bytes(config, parameters, val_tasks))} are written a step"
    )
    cure = (
        f"Free {_gb(max(least, whole) - free_bytes)}, or set experiment.run_root to a folder on another disk"
    )
    if free_bytes < least:
        return [Finding("disk:full", "fatal", "Two checkpoints of the policy do not fit", evidence, cure)]
    if free_bytes < whole:
        title = "The disk may fill up before the run ends"
        cure = f"Lower checkpoint.keep, or free {_gb(whole - free_bytes)}"
        return [Finding("disk:low", "warn", title, evidence, cure)]
    return [Finding("disk:enough", "info", "Disk space suffices", evidence)]


def parameters_of(config: RunConfig) -> int:
    """The model's parameters, those of the small policy where there is no model yet."""
    model = read_facts(config.model.folder)
    return (model.parameters if model else 0) or SMALL_POLICY


def _gb(size_bytes: float) -> str:
    return f"{size_bytes / 1e9:.1f} GB"
