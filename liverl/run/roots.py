"""Where runs were launched: a short list of folders in the user's state folder, newest last.

listed_roots   the folders on the list, none of them touched
known_roots    those that are there
remember_root  puts one at its end
each_root      asks every folder in a thread of its own: one on a dead mount holds up no other
runs_in        the run directories of one folder
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir

_KEPT = 50
# A folder on a mount that does not answer is given up after this; local disks answer in milliseconds.
ROOT_LIMIT_S = 3.0


def state_file() -> Path:
    """The list: `$XDG_STATE_HOME/liverl/roots`, by default under `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "liverl" / "roots"


def listed_roots() -> list[Path]:
    """The folders on the list of roots, newest first, whether they exist or not: none of them is touched."""
    try:
        lines = state_file().read_text().splitlines()
    except OSError:
        return []
    return [Path(line) for line in reversed(lines) if line]


def known_roots() -> list[Path]:
    """The folders on the list that are there and answer, newest first."""
    return [root for root, is_there in each_root(listed_roots(), os.path.isdir).items() if is_there]


def remember_root(root: Path) -> None:
    """Put a folder at the end of the list; where that can't be written the launch goes on without.

    A folder that is gone leaves the list, one that does not answer stays.
    """
    answers = each_root(listed_roots(), os.path.isdir)
    others = [path for path in reversed(listed_roots()) if path != root and answers.get(path, True)]
    try:
        state_file().parent.mkdir(parents=True, exist_ok=True)
        lines = [str(path) for path in (*others, root)][-_KEPT:]
        write_by_rename(state_file(), "".join(f"{line}\n" for line in lines).encode())
    except OSError:
        return


def each_root[T](
    roots: Iterable[Path], ask: Callable[[Path], T], limit_s: float = ROOT_LIMIT_S
) -> dict[Path, T]:
    """What every folder answers; takes at most `limit_s`.

    A folder that does not answer in time, or can't be read, is left out. Its thread ends with the process.
    """
    roots = list(dict.fromkeys(roots))
    answers: queue.SimpleQueue[tuple[Path, list[T]]] = queue.SimpleQueue()

    def put(root: Path) -> None:
        answer: list[T] = []
        try:
            with contextlib.suppress(OSError):
                answer.append(ask(root))
        finally:
            answers.put((root, answer))

    for root in roots:
        threading.Thread(target=put, args=(root,), daemon=True).start()
    found: dict[Path, T] = {}
    deadline = time.monotonic() + limit_s
    for _ in roots:
        try:
            root, answer = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
        found.update((root, item) for item in answer)
    return {root: found[root] for root in roots if root in found}


def runs_in(root: Path) -> list[RunDir]:
    """The run directories of a folder, in no order."""
    try:
        paths = list(root.iterdir())
    except OSError:
        return []
    return [run for path in paths if is_run(run := RunDir(path))]


def is_run(run: RunDir) -> bool:
    """Whether a run was ever launched in a directory; one that may not be read counts as none."""
    # os.path says no where pathlib of 3.12 raises PermissionError.
    return os.path.isfile(run.run_json) or os.path.isfile(run.attempt_plan(1))  # noqa: PTH113
