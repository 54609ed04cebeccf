"""Which run a tool means, and that it lies where runs are: a name that leads elsewhere is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from liverl.operate.find import Place
    from liverl.operate.status import Observer
    from liverl.record.layout import RunDir

_OBSERVERS: dict[Path, Observer] = {}
_MOST_OBSERVERS = 16


def place() -> Place:
    """The user's project folder: the one that Claude Code names, else the working folder."""
    from liverl.operate.find import Place

    named = os.environ.get("CLAUDE_PROJECT_DIR", "")
    return Place(Path(named) if named and Path(named).is_dir() else Path.cwd())


def run_of(name: str) -> RunDir:
    """The run of a name; an empty one means the newest live run, else the newest. Raises `RunError`."""
    from liverl.operate.find import find_run

    return find_run(name or None, place(), only_known_roots=True)


def observer(run: RunDir) -> Observer:
    """The one reader of a run's status that this process keeps, so that a growing run is read once."""
    from liverl.operate.status import Observer

    found = _OBSERVERS.pop(run.root, None) or Observer(run)
    _OBSERVERS[run.root] = found  # the newest last
    while len(_OBSERVERS) > _MOST_OBSERVERS:
        _OBSERVERS.pop(next(iter(_OBSERVERS)), None)
    return found
