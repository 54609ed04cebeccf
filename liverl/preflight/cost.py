"""What a run will cost: trials, bytes on disk, and hours by an earlier run's steps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml
from pydantic import ValidationError

from liverl.config import RunConfig
from liverl.config.parallel import ACTOR, Parallel
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.estimate import ADAM_STATES, weight_bytes
from liverl.preflight.parallels import window
from liverl.record.layout import RunDir
from liverl.run.roots import runs_in

# Measured on shipped tasks with the shell scaffold: 13 kB of logs and verdict a trial; larger scaffolds write more.
_TRIAL_BYTES = 30_000
# A token's id, mask and logprob, compressed.
_TOKEN_BYTES = 8
_CONTENTS = ("model", "optimizer", "extra")
_RUNS_READ = 20
_TAIL_BYTES = 262_144
# Ten years: no step takes longer, and a torn row may say anything.
_LONGEST_S = 3.2e8


@dataclass(frozen=True)
class Earlier:
    """An earlier run of the same profile, and what a step of it took on average, validations included."""

    run: str
    seconds_per_step: float


def validations(config: RunConfig) -> int:
    """Validations in the whole run: before the first step, every `test_freq` steps, and after the last."""
    training = config.training
    return int(training.val_before_train) + -(-training.steps // training.test_freq)


def train_trials(config: RunConfig) -> int:
    """Training trials in the whole run."""
    return config.training.steps * config.training.prompts_per_step * config.rollout.n


def val_trials(config: RunConfig, val_tasks: int) -> int:
    """Validation trials in the whole run."""
    return validations(config) * val_tasks * config.rollout.val_n


def checkpoint_bytes(config: RunConfig, parameters: int) -> int:
    """A checkpoint of verl's FSDP engine: the masters and AdamW's two states in their dtype, each rank its shards.

    Measured on the small policy (fp32, one rank): 12.1 bytes a parameter. Where the model is sharded over part of the
    GPUs only (`fsdp_size`), every copy writes its own shards; an adapter alone has states.
    """
    keys, parallel = VerlKeys.of(config), Parallel.of(config)
    saved = keys.values.get(f"{ACTOR}.checkpoint.save_contents", _CONTENTS)
    contents = saved if isinstance(saved, list | tuple) else _CONTENTS
    trained = keys.whole("actor_rollout_ref.model.lora_rank", 0) == 0
    copies = parallel.world // max(1, parallel.shard)
    states = ("model" in contents) + ADAM_STATES * (trained and "optimizer" in contents)
    whole = "hf_model" in contents
    return parameters * weight_bytes(config) * (states * max(1, copies) + whole)


def export_bytes(config: RunConfig, parameters: int) -> int:
    """The final policy as a Hugging Face folder, in the precision it was trained in."""
    return parameters * weight_bytes(config) if config.checkpoint.export else 0


def trials_bytes(config: RunConfig, val_tasks: int) -> int:
    """What all trials leave: logs, and the tokens of the newest steps' training trials."""
    trained = config.training.prompts_per_step * config.rollout.n
    count = train_trials(config) + val_trials(config, val_tasks)
    with_tokens = min(count, trained * config.trial.keep_tokens_steps)
    return count * _TRIAL_BYTES + with_tokens * window(config) * _TOKEN_BYTES


def step_bytes(config: RunConfig, parameters: int, val_tasks: int) -> float:
    """What a step writes on average, before older checkpoints and tokens are removed."""
    per_step = (train_trials(config) + val_trials(config, val_tasks)) / config.training.steps
    tokens = config.training.prompts_per_step * config.rollout.n * window(config) * _TOKEN_BYTES
    saved = checkpoint_bytes(config, parameters) / config.checkpoint.save_freq
    return saved + per_step * _TRIAL_BYTES + tokens


def find_earlier(config: RunConfig) -> Earlier | None:
    """The newest run in the run root with the same profile, model, batch, window and scaffold; None without one."""
    runs = sorted(runs_in(config.experiment.run_root), key=_written_s, reverse=True)
    for run in runs[:_RUNS_READ]:
        seconds = _seconds_per_step(run.metrics_jsonl)
        if seconds is not None and _is_alike(run, config):
            return Earlier(run.name, seconds)
    return None


def _is_alike(run: RunDir, config: RunConfig) -> bool:
    try:
        other = RunConfig.read_resolved(run.resolved)
    except (OSError, ValueError, ValidationError, yaml.YAMLError):
        return False
    return _shape(other) == _shape(config)


def _shape(config: RunConfig) -> tuple[object, ...]:
    """What a step's time depends on most."""
    training, rollout = config.training, config.rollout
    return (
        config.profile,
        config.model.path,
        training.prompts_per_step * rollout.n,
        window(config),
        config.scaffold.name,
    )


def _seconds_per_step(metrics: Path) -> float | None:
    """The mean of the last rows' step and validation, read from the end of the file alone."""
    times = [
        step + _seconds(row.get("timing_s/testing"))
        for row in _last_rows(metrics)
        if (step := _seconds(row.get("timing_s/step")))
    ]
    return fmean(times) if times else None


def _last_rows(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _TAIL_BYTES))
            lines = stream.read(_TAIL_BYTES).split(b"\n")
    except OSError:
        return []
    whole = lines[1:] if size > _TAIL_BYTES else lines
    return [row for line in whole if (row := _row(line)) is not None]


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 < value < _LONGEST_S else 0.0


def _written_s(run: RunDir) -> float:
    try:
        return run.run_json.stat().st_mtime
    except OSError:
        return 0.0
