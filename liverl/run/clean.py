"""Removes what a run that is not alive has left; its checkpoints and what it measured always stay."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from liverl.errors import LiveRLError, RunError
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef
from liverl.run import foreign
from liverl.run.archives import make_up
from liverl.run.leavings import Leaving, Wanted, find_leavings
from liverl.run.liveness import Liveness, read_liveness
from liverl.run.locks import run_locked
from liverl.run.processes import is_alive, send
from liverl.run.removal import empty, remove

_TERM_S = 5.0
_KILL_S = 10.0
_NAMED = 8
_NO_PODS = "no pods of this run: no sandbox backend makes pods in this version"


@dataclass(frozen=True)
class Swept:
    """What was removed, what could not be, each with why, and notes on what was left out."""

    removed: tuple[Leaving, ...] = ()
    failed: tuple[tuple[Leaving, str], ...] = ()
    notes: tuple[str, ...] = ()


def list_leavings(run: RunDir, wanted: Wanted) -> tuple[list[Leaving], list[str]]:
    """What would be removed, other people's processes on the GPUs first, and notes on what was left out.

    Pods only where they carry both labels of this run: its name, and the digest of its directory. No sandbox backend
    makes pods in this version, so there are none but those that somebody labelled so. Raises `RunError` while the run
    is alive, or can't be reached.
    """
    state = require_dead(run)
    notes: list[str] = []
    found = find_leavings(run, state.record.attempts if state.record else (), wanted)
    if wanted.pods:
        try:
            pods = foreign.pods_of(run)
            found += [Leaving("pod", pod) for pod in pods]
            notes += [] if pods else [_NO_PODS]
        except RunError as cause:
            if not wanted.everything:
                raise
            notes.append(cause.message)
    others, spared = _gpu(found)
    return [*others, *found], [*spared, *notes]


def clean(run: RunDir, wanted: Wanted, confirmed: Sequence[Leaving]) -> Swept:
    """Remove of `confirmed`, which a person has seen, what is still there; what has appeared since stays, and is noted.

    Pods only where they carry both labels of this run: harbor-run with its name, liverl-run with the digest of its
    directory. Raises `RunError` while the run is alive or is being resumed.
    """
    seen = {leaving.key for leaving in confirmed}
    with run_locked(run):
        listed, notes = list_leavings(run, wanted)
        found = [leaving for leaving in listed if leaving.key in seen]
        notes += _appeared([leaving for leaving in listed if leaving.key not in seen])
        make_up(run.root.parent)  # with the end of the log, while there is one
        swept = _sweep(run, found)
        if swept.removed:
            # No supervisor lives that could be asked to: this is the one writer now.
            append_event(run, "removed", what="leavings", **_told(swept.removed))
        return replace(swept, notes=tuple(notes))


def require_dead(run: RunDir) -> Liveness:
    """The state of a run that is not alive; raises `RunError` when it is, or may be elsewhere."""
    state = read_liveness(run)
    if state.is_live:
        raise RunError(
            "clean.alive",
            f"The run {run.name} is {state.state}; only what a dead run left is removed.",
            evidence=state.reason,
            next_action=f"liverl stop {run.name}",
        )
    if state.state == "unreachable":
        raise RunError(
            "clean.unreachable",
            f"The run {run.name} may still live where it can't be seen from here.",
            evidence=state.reason,
            next_action=f"on its own machine: liverl clean {run.root}",
        )
    return state


def _gpu(own: Sequence[Leaving]) -> tuple[list[Leaving], list[str]]:
    """Other people's processes on the GPUs, where the environment says that they go, and notes on those that stay.

    Those of a run stay, unless that run is known to have ended: one that can't be reached or read may be alive.
    """
    if not foreign.is_forced():
        return [], []
    known = {leaving.process.pid for leaving in own if leaving.process}
    found: list[Leaving] = []
    notes: list[str] = []
    for process in foreign.gpu_processes():
        if process.pid in known:
            continue
        if why := _why_spared(process):
            notes.append(f"left alone on a GPU: {_named(process)}, {why}")
        else:
            found.append(Leaving("gpu_process", process.name, process=process))
    return found, notes


def _why_spared(process: ProcessRef) -> str:
    """The run that a process belongs to and that may be alive; "" where it belongs to none."""
    try:
        root = foreign.run_dir_of(process.pid)
    except OSError:
        return "which may be of a live run: its environment can't be read"
    if root is None:
        return ""
    try:
        state = read_liveness(RunDir(root))
    except (LiveRLError, OSError):
        return f"of the run in {root}, which can't be read"
    may_live = state.is_live or state.state == "unreachable"
    return f"of the run in {root}, which is {state.state}" if may_live else ""


def _named(process: ProcessRef) -> str:
    return f"{process.name} (pid {process.pid})"


def _appeared(new: Sequence[Leaving]) -> list[str]:
    """Notes on what nobody has seen on the list."""
    if not new:
        return []
    told = ", ".join(
        f"{item.kind} {_named(item.process) if item.process else item.name}" for item in new[:_NAMED]
    )
    more = f" and {len(new) - _NAMED} more" if len(new) > _NAMED else ""
    return [f"appeared after the list was shown, left alone: {told}{more}"]


def _sweep(run: RunDir, found: Sequence[Leaving]) -> Swept:
    refused = _end([leaving.process for leaving in found if leaving.process])
    removed: list[Leaving] = []
    failed: list[tuple[Leaving, str]] = []
    pods = [leaving for leaving in found if leaving.kind == "pod"]
    for leaving in found:
        if leaving.kind == "pod":
            continue
        try:
            if leaving.process in refused:
                raise OSError("it is another user's, and this one may not end it")
            _remove(run, leaving)
            removed.append(leaving)
        except (OSError, RunError) as cause:
            failed.append((leaving, str(cause)))
    try:
        foreign.delete_pods([pod.name for pod in pods])
        removed += pods
    except RunError as cause:
        failed += [(pod, cause.message) for pod in pods]
    return Swept(tuple(removed), tuple(failed))


def _remove(run: RunDir, leaving: Leaving) -> None:
    if leaving.process is not None:
        if is_alive(leaving.process):
            raise OSError("it does not end, not even when killed")
    elif leaving.path is not None and leaving.kind in ("logs", "trials"):
        empty(run, leaving.path)
    elif leaving.path is not None and leaving.kind == "sandbox":
        leaving.path.rmdir()  # the kernel's own folder, which only goes when no process is in it
    elif leaving.path is not None and leaving.kind == "launch_link":
        leaving.path.unlink(missing_ok=True)  # beside config.yaml; it is a link, and leads to this run's log
    elif leaving.path is not None:
        remove(run, leaving.path)


def _end(processes: Sequence[ProcessRef]) -> set[ProcessRef]:
    """SIGTERM, then SIGKILL: nothing of value is left in a process whose supervisor is dead.

    Returns those that live and that this user may not signal; for them nothing is waited.
    """
    refused: set[ProcessRef] = set()
    for number, limit_s in ((signal.SIGTERM, _TERM_S), (signal.SIGKILL, _KILL_S)):
        refused |= {process for process in processes if not send(process, number)}
        waited = [process for process in processes if process not in refused]
        deadline = time.monotonic() + limit_s
        while any(is_alive(process) for process in waited) and time.monotonic() < deadline:
            time.sleep(0.05)
    return {process for process in refused if is_alive(process)}


def _told(removed: Sequence[Leaving]) -> dict[str, object]:
    kinds = {leaving.kind: 0 for leaving in removed}
    for leaving in removed:
        kinds[leaving.kind] += 1
    return {
        "count": len(removed),
        "size_bytes": sum(leaving.size_bytes for leaving in removed),
        "kinds": kinds,
    }
