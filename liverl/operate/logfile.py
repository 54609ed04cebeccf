"""Which file holds what is asked for: an attempt's log, LiteLLM's, or what a trial has written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from liverl.errors import RunError
from liverl.log.clean import COMPONENTS
from liverl.operate.cursor import file_mark
from liverl.record.layout import RunDir

_TRIAL = "trial:"
_NAME = re.compile(r"[\w@+=-][\w.@+=-]{0,200}")
# What Harbor and the scaffolds leave in a trial's folder that a person can read.
_TEXTS = ("*.log", "*.txt", "agent/*.txt", "agent/*.log", "agent/*/*.txt", "agent/*/*.log", "verifier/*.txt")


@dataclass(frozen=True)
class LogFile:
    """A file of a run: its path, its mark in a cursor, and whose lines of it are meant ("" all of them)."""

    path: Path
    mark: str
    only: str = ""


def check_component(component: str) -> None:
    """Raises `RunError` unless it is all, trainer, rollout, gateway, litellm or trial:NAME."""
    is_trial = component.startswith(_TRIAL) and _NAME.fullmatch(component.removeprefix(_TRIAL))
    if component not in ("all", *COMPONENTS) and not is_trial:
        raise RunError(
            "log.unknown_component",
            f"There is no component {component[:60]!r}.",
            evidence=f"there are all, {', '.join(COMPONENTS)} and trial:NAME",
            next_action="liverl logs --component trainer",
        )


def is_of_trial(component: str) -> bool:
    """Whether it names a trial."""
    return component.startswith(_TRIAL)


def has_steps(component: str) -> bool:
    """Whether its lines stand in the log that has the trainer's step lines."""
    return component in ("all", "trainer", "rollout", "gateway")


def log_file(run: RunDir, attempt: int, component: str) -> LogFile:
    """The file of a component in an attempt; it need not be there yet. Raises `RunError` for an unknown trial."""
    if is_of_trial(component):
        return _made(run, _newest_text(run, component.removeprefix(_TRIAL)))
    own = run.component_log(attempt, "litellm")
    if component == "litellm" and own.exists():
        return _made(run, own)
    return _made(run, run.attempt_log(attempt), "" if component == "all" else component)


def marked_file(run: RunDir, attempt: int, component: str, mark: str) -> LogFile | None:
    """The file of a cursor's mark; None when the component has none such."""
    if is_of_trial(component):
        folder = _trial_folder(run, component.removeprefix(_TRIAL))
        files = [_made(run, path) for path in _texts(run, folder)]
    else:
        wanted = "" if component == "all" else component
        own = _made(run, run.component_log(attempt, "litellm"))
        files = [_made(run, run.attempt_log(attempt), wanted)]
        files += [own] if component in ("all", "litellm") else []
    return next((file for file in files if file.mark == mark), None)


def _made(run: RunDir, path: Path, only: str = "") -> LogFile:
    return LogFile(path, file_mark(os.path.relpath(path, run.root)), only)


def _newest_text(run: RunDir, name: str) -> Path:
    folder = _trial_folder(run, name)
    texts = list(_texts(run, folder))
    return max(texts, key=_written_s) if texts else folder / "trial.log"


def _trial_folder(run: RunDir, name: str) -> Path:
    for split in ("train", "val"):
        for version in _newest_first(run.trials / split):
            if (version / name).is_dir():
                return version / name
    raise RunError(
        "trial.unknown",
        f"No trial of {run.name[:80]} is called {name[:80]}, or its folder is gone.",
        evidence=f"looked below {run.trials}",
        next_action=f"liverl trials {run.name}",
    )


def _newest_first(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), reverse=True)
    except OSError:
        return []


def _texts(run: RunDir, folder: Path) -> Iterator[Path]:
    inside = run.trials.resolve()
    for form in _TEXTS:
        for path in folder.glob(form):
            # An agent may have put a link there that leads out of the run.
            if path.is_file() and path.resolve().is_relative_to(inside):
                yield path


def _written_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
