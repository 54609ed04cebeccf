"""One trial, live, before any training."""

from __future__ import annotations

import difflib
import secrets
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from liverl.config import RunConfig, render_resolved
from liverl.errors import LiveRLError, SandboxError, TaskError
from liverl.operate import policy
from liverl.operate.dataplane import Relay, relay
from liverl.operate.planning import python_of
from liverl.operate.profile import Profile
from liverl.operate.show import TrialView, show
from liverl.record.layout import RunDir
from liverl.record.plan import SERVED_NAME
from liverl.record.trials import read_trials
from liverl.run.launch import run_names

_TASK_FILE = "task.toml"


class TrialFailedError(LiveRLError):
    """A trial that could not be run at all."""


@dataclass(frozen=True)
class Tried:
    """The folder a trial was run in, and the trial."""

    run_dir: str
    view: TrialView

    @property
    def ok(self) -> bool:
        """Whether it could be graded."""
        return self.view.row.outcome != "infrastructure"

    @property
    def summary(self) -> str:
        """Task, outcome, reward, and whose fault it was."""
        return self.view.summary

    @property
    def next_action(self) -> str:
        """The whole of it again."""
        return f"liverl show {self.view.row.trial} --run {self.run_dir}"

    def payload(self) -> dict[str, Any]:
        """The trial, and the folder it was run in."""
        return {**self.view.payload(), "run_dir": self.run_dir}


def try_task(profile: Profile, task: str, on_line: Relay) -> Tried:
    """Run one trial of a task; raises `TaskError`, `PolicyError`, `TrialFailedError` when it left nothing."""
    config = profile.config
    if config.sandbox.backend != "bubblewrap":
        raise SandboxError(
            "sandbox.backend",
            f"Trials run in bubblewrap in this version, and sandbox.backend is {config.sandbox.backend}.",
            next_action="set sandbox.backend to bubblewrap",
        )
    folder = find_task(config, task)
    if policy.is_missing(config):
        on_line(f"building the policy in {config.model.folder}")
        policy.build(config, on_line)
    run = _new_folder(config.experiment.run_root / "single", folder.name)
    run.config.write_text(profile.text)
    run.resolved.write_text(render_resolved(config, profile.origins))
    ended = relay(
        "liverl.engine.single",
        [str(folder), "--run-dir", str(run.root)],
        on_line,
        python=python_of(config),
        env={
            "LIVERL_RUN_DIR": str(run.root),
            "LIVERL_ATTEMPT": "1",
            SERVED_NAME: config.model.served_name,
            "LIVERL_DOOR_KEY": secrets.token_hex(32),
            "LIVERL_DOOR_URL": f"http://127.0.0.1:{config.infrastructure.litellm_port}",
        },
        cwd=run.data,
    )
    rows = read_trials(run)
    if not rows:
        raise TrialFailedError(
            "trial.failed",
            f"The trial of {folder.name} left no row (exit status {ended.exit_status}).",
            evidence="\n        ".join(ended.lines[-6:]),
            next_action="liverl check",
        )
    return Tried(str(run.root), show(run, rows[-1].trial))


def find_task(config: RunConfig, task: str) -> Path:
    """The folder of a task given by path or by name; raises `TaskError` with the nearest names."""
    direct = Path(task).expanduser()
    if (direct / _TASK_FILE).is_file():
        return direct.resolve()
    found = {path.parent.name: path.parent for path in _task_files(config)}
    if task in found:
        return found[task].resolve()
    near = difflib.get_close_matches(task, found, n=4, cutoff=0.4)
    raise TaskError(
        "task.unknown",
        f"No task is called {task}.",
        evidence=f"{len(found)} tasks in {config.data.train} and {config.data.val}",
        next_action="did you mean " + ", ".join(near) if near else f"ls {config.data.train}",
    )


def _task_files(config: RunConfig) -> list[Path]:
    return [path for root in (config.data.train, config.data.val) for path in root.glob(f"*/{_TASK_FILE}")]


def _new_folder(root: Path, task: str) -> RunDir:
    for name in run_names(task, "trial", date.today()):
        try:
            return RunDir.create(root / name)
        except FileExistsError:
            continue
    raise AssertionError("run_names never ends")
