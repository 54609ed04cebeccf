"""Locks that two processes of one user take before they do what only one of them may do at a time.

They are `flock`s on files in the user's state folder, so the kernel lets go of them when their holder ends. Where no
file can be made there, things go on without.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run.roots import state_file

# Above the 30 s that a launch waits for its supervisor, which is how long the one before may hold it.
LIMIT_S = 45.0
_POLL_S = 0.05


@contextlib.contextmanager
def ports_locked(ports: Iterable[int], limit_s: float = LIMIT_S) -> Iterator[None]:
    """Hold the launch of runs on these ports; raises `RunError` when somebody else holds one for too long."""
    with contextlib.ExitStack() as stack:
        # In order: two launches whose ports overlap must not each hold what the other waits for.
        for port in sorted(set(ports)):
            stack.enter_context(_locked(f"port_{port}", limit_s, f"a run on port {port} is being launched"))
        yield


@contextlib.contextmanager
def run_locked(run: RunDir, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Hold a run that is not alive: nobody else resumes or cleans it meanwhile."""
    digest = hashlib.sha256(str(run.root.resolve()).encode()).hexdigest()[:16]
    with _locked(f"run_{digest}", limit_s, f"the run {run.name} is being resumed or cleaned"):
        yield


def poster_of(run: RunDir) -> bool:
    """Whether this process may post what it sees of a run: the first that asks, until it ends; True without locks."""
    digest = hashlib.sha256(str(run.root.resolve()).encode()).hexdigest()[:16]
    descriptor = _open(state_file().parent / "locks" / f"poster_{digest}")
    if descriptor is None:
        return True
    try:
        fcntl.flock(
            descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB
        )  # kept open: the kernel lets go of it with the process
    except OSError:
        os.close(descriptor)
        return False
    return True


@contextlib.contextmanager
def _locked(name: str, limit_s: float, what: str) -> Iterator[None]:
    descriptor = _open(state_file().parent / "locks" / name)
    if descriptor is None:
        yield
        return
    try:
        deadline = time.monotonic() + limit_s
        while not _take(descriptor):
            if time.monotonic() >= deadline:
                raise RunError(
                    "run.busy",
                    f"Somebody else is at it: {what}.",
                    evidence=f"for {limit_s:.0f} s, {state_file().parent / 'locks' / name} was locked",
                    next_action="liverl status --list",
                )
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system that has no locks
        return True
    return True
