"""Where runs were launched: a short list of folders in the user's state folder, newest last."""

from __future__ import annotations

import os
from pathlib import Path

from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir

_KEPT = 50


def state_file() -> Path:
    """The list: `$XDG_STATE_HOME/liverl/roots`, by default under `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "liverl" / "roots"


def known_roots() -> list[Path]:
    """The folders that still exist, newest first."""
    try:
        lines = state_file().read_text().splitlines()
    except OSError:
        return []
    return [Path(line) for line in reversed(lines) if line and Path(line).is_dir()]


def remember_root(root: Path) -> None:
    """Put a folder at the end of the list; where that can't be written the launch goes on without."""
    others = [path for path in reversed(known_roots()) if path != root]
    try:
        state_file().parent.mkdir(parents=True, exist_ok=True)
        lines = [str(path) for path in (*others, root)][-_KEPT:]
        write_by_rename(state_file(), "".join(f"{line}\n" for line in lines).encode())
    except OSError:
        return


def runs_in(root: Path) -> list[RunDir]:
    """The run directories of a folder, in no order."""
    if not root.is_dir():
        return []
    return [RunDir(path) for path in root.iterdir() if path.is_dir() and is_run(RunDir(path))]


def is_run(run: RunDir) -> bool:
    """Whether a run was ever launched in a directory."""
    return run.run_json.is_file() or run.attempt_plan(1).is_file()
