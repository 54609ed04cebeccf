"""Which checkpoints and trajectories stay; whole folders or files go, never the newest and never half."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from liverl.record.layout import RunDir
from liverl.record.trajectory import FILE_NAME
from liverl.record.trials import TrialRow

_PREFIX = "global_step_"
_COMPLETE = "latest_checkpointed_iteration.txt"
_UNREMARKABLE = ("solved", "unsolved")


@dataclass(frozen=True)
class Removal:
    """What was removed, and how much disk that gave back."""

    what: str
    step: int
    count: int
    size_bytes: int


def newest_complete(checkpoints: Path) -> int | None:
    """The step of the newest checkpoint that verl has declared complete; None when there is none."""
    try:
        step = int((checkpoints / _COMPLETE).read_text().strip())
        return step if (checkpoints / f"{_PREFIX}{step}").is_dir() else None
    except (OSError, ValueError):
        return None


def checkpoint_steps(checkpoints: Path) -> list[int]:
    """The steps that have a checkpoint folder, oldest first."""
    names = (path.name.removeprefix(_PREFIX) for path in checkpoints.glob(f"{_PREFIX}*") if path.is_dir())
    return sorted(int(name) for name in names if name.isdecimal() and name.isascii())


def superfluous(steps: list[int], newest: int, keep: int, reward_by_step: Mapping[int, float]) -> list[int]:
    """The steps whose checkpoint may go: not `newest`, not of the `keep` newest, not the best validated."""
    complete = sorted(step for step in steps if step <= newest)
    stay = {newest, *complete[-keep:]}
    validated = [step for step in complete if step in reward_by_step]
    if validated:
        stay.add(max(validated, key=lambda step: (reward_by_step[step], step)))
    return [step for step in complete if step not in stay]


def prune_checkpoints(checkpoints: Path, keep: int, reward_by_step: Mapping[int, float]) -> list[Removal]:
    """Remove what is superfluous; `keep` 0 keeps all."""
    newest = newest_complete(checkpoints)
    if keep <= 0 or newest is None:
        return []
    removals = []
    for step in superfluous(checkpoint_steps(checkpoints), newest, keep, reward_by_step):
        folder = checkpoints / f"{_PREFIX}{step}"
        size = size_bytes(folder)
        # Renamed first: a kill in the middle leaves no folder that looks like a checkpoint.
        doomed = folder.rename(checkpoints / f".removing_{step}")
        shutil.rmtree(doomed, ignore_errors=True)
        removals.append(Removal("checkpoint", step, 1, size))
    return removals


def sweep_leftovers(checkpoints: Path) -> None:
    """Finish removals that a kill interrupted."""
    for doomed in checkpoints.glob(".removing_*"):
        shutil.rmtree(doomed, ignore_errors=True)


def prune_tokens(run: RunDir, rows: list[TrialRow], step: int) -> Removal | None:
    """Remove the trajectories of one step's unremarkable training trials; None when there were none."""
    count = size = 0
    for row in rows:
        if row.split != "train" or row.outcome not in _UNREMARKABLE:
            continue
        path = (run.root / row.path / FILE_NAME).resolve()
        if path.is_relative_to(run.trials.resolve()) and path.is_file():
            size += path.stat().st_size
            path.unlink()
            count += 1
    return Removal("tokens", step, count, size) if count else None


def size_bytes(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
