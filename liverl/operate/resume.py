"""Goes on with a run from its last checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liverl.config import RunConfig
from liverl.errors import RunError
from liverl.operate.answer import cut
from liverl.operate.check import Checked, OnAnswer
from liverl.operate.launch import Yes, refuse
from liverl.operate.planning import plan_attempt, python_of
from liverl.operate.watcher import start_watcher
from liverl.preflight import QUESTIONS, configuration_summary, machine_facts, run_checks, worst_first
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.run import resume as run_resume


@dataclass(frozen=True)
class Resumed:
    """The attempt that was started."""

    name: str
    attempt: int
    from_step: int
    steps_total: int
    run_dir: str
    ok: bool = True

    @property
    def summary(self) -> str:
        """Which attempt, and from where."""
        return (
            f"resumed {self.name}: attempt {self.attempt}, from step {self.from_step} of {self.steps_total}"
        )

    @property
    def next_action(self) -> str:
        """How to look at it."""
        return f"liverl status {self.name}"

    def payload(self) -> dict[str, Any]:
        """The attempt, where it goes on from, and where it is."""
        return {
            "run": self.name,
            "attempt": self.attempt,
            "from_step": self.from_step,
            "steps_total": self.steps_total,
            "run_dir": self.run_dir,
        }


# Its own leftovers may hold the ports still; they are ended before the ports are taken.
_NOT_ASKED = ("ports",)


@dataclass(frozen=True)
class ToResume:
    """A run that could go on: its newest attempt, the step with the last checkpoint (0: none), steps in all, model."""

    attempt: int
    from_step: int
    steps: int
    model: str


def to_resume(run: RunDir) -> ToResume:
    """What a resume would go on with; raises `RunError` where the run lives, is done, or may not be resumed."""
    run_resume.refuse(run)
    config = _config(run)
    model = config.model.path or config.model.served_name
    return ToResume(newest_attempt(run), run_resume.resume_step(run), config.training.steps, model)


def check_resume(run: RunDir, on_answer: OnAnswer | None = None) -> Checked:
    """Whether the run could go on here and now, with the configuration it was launched with; raises `RunError`.

    The same questions as before a launch, without live probes.
    """
    run_resume.refuse(run)
    config = _config(run)
    asked = [name for name in QUESTIONS if name not in _NOT_ASKED]
    facts = machine_facts()
    findings = run_checks(config, facts, config_file=run.resolved, only=asked, on_answer=on_answer)
    return Checked(tuple(worst_first(findings)), "", configuration_summary(config, facts, findings))


def resume(run: RunDir, checked: Checked, yes: Yes) -> Resumed:
    """Start the next attempt, configured as the run was launched; raises `RunError` when it can't be.

    `checked` is what `check_resume` has just found, `yes` somebody's who has seen it.
    """
    refuse(checked)
    config = _config(run)
    from_step = run_resume.resume_step(run)
    plan = run_resume.resume(run, python_of(config), plan_attempt(config, run, confirmed_by=yes.by))
    start_watcher(run, config.logging.stop_on)
    return Resumed(run.name, plan.attempt, from_step, plan.steps, str(run.root))


def _config(run: RunDir) -> RunConfig:
    try:
        config = RunConfig.read_resolved(run.resolved)
    except (OSError, ValueError) as cause:
        raise RunError(
            "run.no_config",
            f"{run.resolved} can't be read, or is of another version.",
            evidence=cut(str(cause), 300),
            next_action="liverl run   starts a new run",
        ) from cause
    if config.training.resume == "never":
        raise RunError(
            "run.resume_never",
            f"The run {run.name} was launched with training.resume: never.",
            evidence=f"{run.resolved}",
            next_action=f"liverl run   or set training.resume to auto in {run.resolved}, "
            f"then: liverl resume {run.name}",
        )
    return config
