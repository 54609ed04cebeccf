"""A configuration as the plan that the supervisor of an attempt needs."""

from __future__ import annotations

import sys
from pathlib import Path

from liverl.config import RunConfig
from liverl.operate.provenance import checkout, versions
from liverl.record.layout import RunDir
from liverl.record.plan import SERVED_NAME, AttemptPlan
from liverl.record.stages import stages_of

_TASK_FILE = "task.toml"


def python_of(config: RunConfig) -> str:
    """The interpreter that the data plane runs in."""
    venv = config.environment.venv
    return str(Path(venv).expanduser() / "bin" / "python") if venv else sys.executable


def ports_of(config: RunConfig) -> dict[str, int]:
    """The ports that a run takes for itself, by what they are for."""
    infrastructure = config.infrastructure
    ports = {"litellm": infrastructure.litellm_port, "ray": infrastructure.ray_port}
    if config.engine.rollout == "cpu":
        return ports  # Ray starts without its dashboard there
    return {**ports, "ray_dashboard": infrastructure.ray_dashboard_port}


def plan_attempt(config: RunConfig, run: RunDir, attempt: int = 1, *, confirmed_by: str = "") -> AttemptPlan:
    """The plan of an attempt of a run; `confirmed_by` says how the person who wanted it was asked."""
    python = python_of(config)
    port = config.infrastructure.litellm_port
    made_with = checkout()
    return AttemptPlan(
        attempt=attempt,
        name=run.name,
        steps=config.training.steps,
        door=(python, "-m", "liverl.gateway.door", "--port", str(port), "--work", str(run.data / "door")),
        trainer=(python, "-m", "liverl.engine.boot", str(run.root)),
        door_url=f"http://127.0.0.1:{port}",
        env={SERVED_NAME: config.model.served_name},
        ports=ports_of(config),
        trials_per_step=config.training.prompts_per_step * config.rollout.n,
        validation_trials=count_tasks(config.data.val) * config.rollout.val_n,
        keep_checkpoints=config.checkpoint.keep,
        keep_tokens_steps=config.trial.keep_tokens_steps,
        boot_usual={name: stage.usual_s for name, stage in stages_of(config.engine.rollout).items()},
        boot_limits=boot_limits(config),
        versions=versions(python),
        commit=made_with.commit,
        dirty=made_with.dirty,
        confirmed_by=confirmed_by,
    )


def boot_limits(config: RunConfig) -> dict[str, float]:
    """Seconds that each stage of the boot may take.

    The first trial has ended when all its tries have used up their limits, however those are configured.
    """
    limits = {name: stage.limit_s for name, stage in stages_of(config.engine.rollout).items()}
    tries = config.trial.retries + 1
    limits["first_trial"] += tries * (config.trial.agent_timeout_s + config.trial.verifier_timeout_s)
    return limits


def count_tasks(folder: Path) -> int:
    """The number of task folders in a folder."""
    return sum(1 for _ in folder.glob(f"*/{_TASK_FILE}"))
