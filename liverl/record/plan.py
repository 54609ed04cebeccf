"""attempt_N.json: what the launcher tells an attempt's supervisor, which can't read the config."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

from liverl.errors import RunError
from liverl.record.layout import RunDir


@dataclass(frozen=True)
class AttemptPlan:
    """The processes of an attempt and the numbers that the supervisor and readers need.

    `door` and `trainer` are command lines (an empty `door` starts none); `env` is added to the environment
    of both; `trials_per_step` and `validation_trials` are how many a full step and a full validation have
    (0 = unknown); `keep_checkpoints` newest ones stay beside the best, 0 keeps all; `keep_tokens_steps`
    likewise for trajectories.
    """

    attempt: int
    name: str
    steps: int
    trainer: tuple[str, ...]
    door: tuple[str, ...] = ()
    door_url: str = ""
    env: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    trials_per_step: int = 0
    validation_trials: int = 0
    keep_checkpoints: int = 0
    keep_tokens_steps: int = 0
    grace_s: float = 15.0

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> AttemptPlan:
        """The plan of plain JSON."""
        content = dict(content)
        for name in ("door", "trainer"):
            content[name] = tuple(str(part) for part in content.get(name, ()))
        return cls(**content)


def write_plan(run: RunDir, plan: AttemptPlan) -> None:
    """Write attempt_N.json, whole, before the supervisor is started; the attempt is the writer's alone.

    Raises `FileExistsError` when the attempt was planned already.
    """
    path = run.attempt_plan(plan.attempt)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    draft.write_text(json.dumps(asdict(plan), indent=1) + "\n")
    try:
        os.link(draft, path)  # unlike a rename it replaces nothing
    finally:
        draft.unlink()


def read_plan(run: RunDir, attempt: int) -> AttemptPlan:
    """Read attempt_N.json; raises `RunError` when it is missing or isn't one."""
    path = run.attempt_plan(attempt)
    try:
        return AttemptPlan.from_dict(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as cause:
        raise RunError("run.no_plan", f"{path} can't be read.", evidence=repr(cause)) from cause


def newest_attempt(run: RunDir) -> int:
    """The highest attempt that was ever planned, 0 when none was."""
    numbers = (path.stem.removeprefix("attempt_") for path in run.root.glob("attempt_*.json"))
    return max((int(number) for number in numbers if number.isdigit()), default=0)
