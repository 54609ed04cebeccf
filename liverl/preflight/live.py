"""The live runs of all folders where runs were launched, of which one may hang without hiding the others."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from liverl.errors import RunError
from liverl.preflight.context import Context
from liverl.preflight.owners import ancestry
from liverl.record.clock import to_seconds
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt, read_plan
from liverl.run.live import live_in
from liverl.run.liveness import Liveness, is_ours
from liverl.run.roots import ROOT_LIMIT_S, each_root, listed_roots


@dataclass(frozen=True)
class LiveRun:
    """A run whose processes are at work.

    `pid` is its supervisor's, 0 where it means nothing here: `is_here` says whether it runs on this machine, among
    processes that this one sees. `ports` are by what they are for.
    """

    root: Path
    state: str
    host: str
    pid: int = 0
    started_s: float = 0.0
    is_here: bool = True
    ports: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The run's name."""
        return self.root.name

    def called(self, context: Context) -> str:
        """What `liverl stop` finds it by: its name, or its folder where it lies elsewhere than this run would."""
        here = context.config.experiment.run_root.absolute()
        return self.name if self.root.parent == here else str(self.root)


@dataclass(frozen=True)
class Seen:
    """The live runs that were found, and the folders that did not answer in time."""

    runs: tuple[LiveRun, ...] = ()
    silent: tuple[Path, ...] = ()

    def owner_of(self, pid: int) -> LiveRun | None:
        """The run that a process belongs to: its supervisor stands above it."""
        above = ancestry(pid)
        return next((run for run in self.runs if run.is_here and run.pid in above), None)


def see(context: Context) -> Seen:
    """The live runs of the configured folder and of every folder that a run was ever launched in."""
    return _together(tuple(known(context)))


def known(context: Context) -> list[Path]:
    """The folders where runs may be, none of them touched."""
    return list(dict.fromkeys([context.config.experiment.run_root, *listed_roots()]))


_asked: dict[tuple[Path, ...], Future[Seen]] = {}
_lock = threading.Lock()


def _together(roots: tuple[Path, ...]) -> Seen:
    """Questions that ask at the same time share one look; nothing is kept beyond it."""
    with _lock:
        future = _asked.get(roots)
        is_first = future is None
        if future is None:
            future = _asked[roots] = Future()
    if is_first:
        try:
            future.set_result(look(roots))
        except BaseException as error:  # whoever waits for it must not wait for ever
            future.set_exception(error)
        finally:
            with _lock:
                del _asked[roots]
    return future.result()


def look(roots: Sequence[Path], limit_s: float = ROOT_LIMIT_S) -> Seen:
    """The live runs of some folders, each looked at in a thread of its own; takes at most `limit_s`."""
    found = each_root(roots, _look_into, limit_s)
    unique = {run.root: run for runs in found.values() for run in runs}
    return Seen(tuple(unique.values()), tuple(root for root in roots if root not in found))


def _look_into(root: Path) -> list[LiveRun]:
    try:
        return list(_described(live_in(root)))
    except OSError:  # a folder that can't be read holds no run of this user's
        return []


def _described(found: Iterable[tuple[RunDir, Liveness]]) -> Iterable[LiveRun]:
    for run, state in found:
        if state.record is None or newest_attempt(run) > state.record.last.number:
            yield LiveRun(run.root, state.state, "", ports=_planned_ports(run))
            continue
        attempt = state.record.last
        supervisor = attempt.process("supervisor")
        here = is_ours(attempt)
        yield LiveRun(
            run.root,
            state.state,
            attempt.host,
            supervisor.pid if supervisor and here else 0,
            to_seconds(attempt.started),
            here,
            dict(state.record.ports),
        )


def _planned_ports(run: RunDir) -> dict[str, int]:
    """Of an attempt that has not recorded itself yet."""
    try:
        return read_plan(run, newest_attempt(run)).ports
    except RunError:
        return {}
