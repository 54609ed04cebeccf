"""Removes what lies in a run's own places, and nothing else: by rename first, then for good."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir

_KEPT = (
    "checkpoints",
    "policy",
    "config.yaml",
    "resolved.yaml",
    "run.json",
    "metrics",
    "metrics.jsonl",
    "events.jsonl",
    "trials.jsonl",
    "tensorboard",
    "wandb",
)
"""What never goes: what was trained, what was measured, and what the run is."""


def remove(run: RunDir, path: Path) -> None:
    """Remove a file, a link (never what it leads to) or a folder of a run.

    Raises `RunError` when the path lies neither in the run's directory nor is its scratch folder, `OSError` when it
    can't be removed.
    """
    doomed = _set_aside(run, path)
    if doomed is not None:
        shutil.rmtree(doomed)


def empty(run: RunDir, folder: Path) -> None:
    """Remove a folder of a run and make it anew: a later attempt writes there.

    It is there again even where this raises `OSError` because not all of the old one can be removed.
    """
    doomed = _set_aside(run, folder)
    folder.mkdir()
    if doomed is not None:
        shutil.rmtree(doomed)


def _set_aside(run: RunDir, path: Path) -> Path | None:
    """Unlink a file or a link; rename a folder, so that a kill in the middle leaves nothing that looks like it."""
    place = check_inside(run, path)
    if place.is_symlink() or not place.is_dir():
        place.unlink(missing_ok=True)
        return None
    doomed = place.with_name(f".removing_{place.name.lstrip('.')}_{os.getpid()}")
    place.rename(doomed)
    return doomed


def check_inside(run: RunDir, path: Path) -> Path:
    """The path with its folder's links resolved, itself unresolved.

    Raises `RunError` where it is not the run's own, or is one of those that always stay.
    """
    place = path.parent.resolve() / path.name
    root = run.root.resolve()
    is_inside = place.parent.is_relative_to(root) and path.name not in ("", ".", "..")
    is_kept = is_inside and place.relative_to(root).parts in {(name,) for name in _KEPT}
    is_scratch = place == run.scratch.parent.resolve() / run.scratch.name
    if (is_inside and not is_kept) or is_scratch:
        return place
    raise RunError(
        "clean.outside",
        f"{path} is not one of the things in the run's directory or scratch folder that may go.",
        evidence=str(place),
        next_action=f"ls -la {path}",
    )
