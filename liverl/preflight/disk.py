"""Is there room for the checkpoints and trials of the run?"""

from __future__ import annotations

import shutil
from pathlib import Path

from liverl.config import RunConfig
from liverl.preflight.context import Context, nearest_existing
from liverl.preflight.finding import Finding
from liverl.preflight.tasks import task_folders
from liverl.preflight.weights import SMALL_POLICY, count_parameters

# fp32 weights and AdamW's two states in a checkpoint; weights alone in the exported folder.
_CHECKPOINT_BYTES, _EXPORT_BYTES = 12, 4
# A trial's logs and verdict, and a token's id, mask and logprob, compressed.
_TRIAL_BYTES, _TOKEN_BYTES = 30_000, 8


def check_disk(context: Context) -> list[Finding]:
    """Fatal where two checkpoints don't fit, a warning where the whole run may not."""
    config = context.config
    place = nearest_existing(config.experiment.run_root)
    return judge_disk(config, shutil.disk_usage(place).free, place)


def judge_disk(config: RunConfig, free_bytes: int, place: Path) -> list[Finding]:
    """The finding for so much free space where the run directory will lie."""
    parameters = _parameters(config)
    checkpoint = parameters * _CHECKPOINT_BYTES
    trials = _trial_bytes(config)
    export = parameters * _EXPORT_BYTES if config.checkpoint.export else 0
    least = 2 * checkpoint + export + trials // 10
    # The newest, the best, and the one that is being written.
    whole = (config.checkpoint.keep + 2) * checkpoint + export + trials
    evidence = (
        f"{_gb(free_bytes)} free on {place}; {parameters / 1e6:.1f} million parameters make a checkpoint of "
        f"{_gb(checkpoint)}, the trials about {_gb(trials)}, all of it at most {_gb(whole)}"
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


def _parameters(config: RunConfig) -> int:
    if not config.model.folder.is_dir():
        return SMALL_POLICY
    try:
        return count_parameters(config.model.folder) or SMALL_POLICY
    except (OSError, ValueError, KeyError):
        return SMALL_POLICY  # the question about the model says what is wrong with the file


def _trial_bytes(config: RunConfig) -> int:
    training = config.training
    trained = training.prompts_per_step * config.rollout.n
    validations = training.steps // training.test_freq + 1
    tasks = len(task_folders(config.data.val))
    count = trained * training.steps + validations * tasks * config.rollout.val_n
    with_tokens = min(count, trained * config.trial.keep_tokens_steps)
    window = config.rollout.max_prompt_length + config.rollout.max_response_length
    return count * _TRIAL_BYTES + with_tokens * window * _TOKEN_BYTES


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.1f} GB"
