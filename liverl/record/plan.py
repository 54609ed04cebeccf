"""attempt_N.json: what the launcher tells an attempt's supervisor, which can't read the config."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.shapes import decode, dict_of, listed, real, text, truth, whole

# In an attempt's environment: the name under which the policy is served.
SERVED_NAME = "LIVERL_SERVED_NAME"
# No run has more attempts than that; a stray file with a larger number is none of one.
_DIGITS = 4


@dataclass(frozen=True)
class AttemptPlan:
    """The processes of an attempt and the numbers that the supervisor and readers need.

    `door` and `trainer` are command lines (an empty `door` starts none); `env` is added to the environment
    of both; `trials_per_step` and `validation_trials` are how many a full step and a full validation have
    (0 = unknown); `keep_checkpoints` newest ones stay beside the best, 0 keeps all; `keep_tokens_steps`
    likewise for trajectories. `boot_usual` and `boot_limits` are seconds by stage of the boot; an attempt that takes
    longer than a limit is ended. A stop gives the trainer `grace_s` seconds after SIGINT, and everything `term_s` after
    SIGTERM. `versions`, `commit` and `dirty` say what it runs with: packages, and the checkout's
    commit with whether files of it were changed. `launch_link` is the link to its log beside config.yaml,
    `confirmed_by` how the person who wanted it was asked.
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
    term_s: float = 10.0
    boot_usual: dict[str, float] = field(default_factory=dict)
    boot_limits: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    commit: str = ""
    dirty: bool = False
    launch_link: str = ""
    confirmed_by: str = ""

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> AttemptPlan:
        """The plan of plain JSON; raises `TypeError` or `ValueError` where a value has another type."""
        unknown = set(content) - set(_READ)
        if unknown:
            raise ValueError(f"unknown: {', '.join(sorted(map(repr, unknown)))[:200]}")
        return cls(**{name: _READ[name](value) for name, value in content.items()})


def _words(value: object) -> tuple[str, ...]:
    return tuple(text(part) for part in listed(value))


_READ: dict[str, Callable[[object], Any]] = {
    "attempt": whole,
    "name": text,
    "steps": whole,
    "trainer": _words,
    "door": _words,
    "door_url": text,
    "env": dict_of(text),
    "ports": dict_of(whole),
    "trials_per_step": whole,
    "validation_trials": whole,
    "keep_checkpoints": whole,
    "keep_tokens_steps": whole,
    "grace_s": real,
    "term_s": real,
    "boot_usual": dict_of(real),
    "boot_limits": dict_of(real),
    "versions": dict_of(text),
    "commit": text,
    "dirty": truth,
    "launch_link": text,
    "confirmed_by": text,
}


def write_plan(run: RunDir, plan: AttemptPlan) -> None:
    """Write attempt_N.json, whole, before the supervisor is started; the attempt is the writer's alone.

    Raises `FileExistsError` when the attempt was planned already.
    """
    path = run.attempt_plan(plan.attempt)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        draft.write_text(json.dumps(asdict(plan), indent=1) + "\n")
        os.link(draft, path)  # unlike a rename it replaces nothing
    finally:
        draft.unlink(missing_ok=True)  # on a full disk half of one would take what room is left


def read_plan(run: RunDir, attempt: int) -> AttemptPlan:
    """Read attempt_N.json; raises `RunError` when it is missing or isn't one."""
    path = run.attempt_plan(attempt)
    try:
        return AttemptPlan.from_dict(decode(path.read_bytes()))
    except (OSError, ValueError, TypeError) as cause:
        raise RunError("run.no_plan", f"{path} can't be read.", evidence=repr(cause)[:300]) from cause


def newest_attempt(run: RunDir) -> int:
    """The highest attempt that was ever planned, 0 when none was."""
    names = (path.stem.removeprefix("attempt_") for path in run.root.glob("attempt_*.json"))
    numbers = (int(name) for name in names if name.isdecimal() and name.isascii() and len(name) <= _DIGITS)
    return max(numbers, default=0)
