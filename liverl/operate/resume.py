"""Goes on with a run from its last checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from liverl.config import RunConfig
from liverl.errors import RunError
from liverl.operate.planning import plan_attempt, python_of
from liverl.record.layout import RunDir
from liverl.run import resume as run_resume


@dataclass(frozen=True)
class Resumed:
    """The attempt that was started."""

    name: str
    attempt: int
    from_step: int
    steps_total: int
    run_dir: str


def resume(run: RunDir) -> Resumed:
    """Start the next attempt, configured as the run was launched; raises `RunError` when it can't be."""
    try:
        config = RunConfig.read_resolved(run.resolved)
    except (OSError, ValueError) as cause:
        raise RunError("run.no_config", f"{run.resolved} can't be read.", evidence=str(cause)) from cause
    if config.training.resume == "never":
        raise RunError(
            "run.resume_never",
            f"The run {run.name} was launched with training.resume: never.",
            evidence=f"{run.resolved}",
            next_action=f"liverl run   or set training.resume to auto in {run.resolved}, "
            f"then: liverl resume {run.name}",
        )
    from_step = run_resume.resume_step(run)
    plan = run_resume.resume(run, python_of(config), plan_attempt(config, run))
    return Resumed(run.name, plan.attempt, from_step, plan.steps, str(run.root))
