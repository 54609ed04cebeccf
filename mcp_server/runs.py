"""Which run a tool means, and that it lies where runs are: a name that leads elsewhere is refused."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from liverl.operate.diagnose import Doctor, FileDoctor
    from liverl.operate.find import Place
    from liverl.operate.status import Observer
    from liverl.record.layout import RunDir

_OBSERVERS: dict[Path, Observer] = {}
_DOCTORS: dict[Path, Doctor] = {}
_FILE_DOCTORS: dict[Path, FileDoctor] = {}
_MOST_DOCTORS = 4
_LOOK_S = 60.0
_LOOKING = threading.Lock()
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


def doctor(run: RunDir) -> Doctor:
    """The one who diagnoses a run for this process, so that a growing run is read once."""
    from liverl.operate.diagnose import Doctor

    found = _DOCTORS.pop(run.root, None) or Doctor(run)
    _DOCTORS[run.root] = found
    while len(_DOCTORS) > _MOST_DOCTORS:
        _DOCTORS.pop(next(iter(_DOCTORS)), None)
    return found


def file_doctor(path: Path) -> FileDoctor:
    """The same for a file."""
    from liverl.operate.diagnose import FileDoctor

    found = _FILE_DOCTORS.pop(path, None) or FileDoctor(path)
    _FILE_DOCTORS[path] = found
    while len(_FILE_DOCTORS) > _MOST_DOCTORS:
        _FILE_DOCTORS.pop(next(iter(_FILE_DOCTORS)), None)
    return found


def look_again(run: RunDir) -> None:
    """Diagnose a run behind an answer, where the last diagnosis is a minute old: the next status tells it."""
    from liverl.operate.remembered import recall

    last = recall(run)
    if (last is None or last.age_s > _LOOK_S) and not _LOOKING.locked():
        threading.Thread(target=_look, args=(run,), daemon=True).start()


def _look(run: RunDir) -> None:
    from liverl.errors import LiveRLError

    with _LOOKING, contextlib.suppress(LiveRLError, OSError, ImportError):
        doctor(run).look(with_stacks=False)


def file_of(name: str) -> Path:
    """A file of the project; raises `RunError` for one outside of it, or where there is none."""
    from liverl.errors import RunError

    folder = place().cwd.resolve()
    try:
        path = (folder / name).resolve()
        is_file = path.is_file()
    except (OSError, ValueError, RuntimeError):
        path, is_file = folder, False
    if not is_file or not path.is_relative_to(folder):
        raise RunError(
            "diagnose.outside",
            "A file is named by its path in the project.",
            evidence=f"{name[:100]} is no file in {folder}",
            next_action="name a file of the project; a person can run: liverl diagnose FILE",
        )
    return path
