"""Runs that are broken on purpose, and what is seen of them until they are quiet."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from liverl.record.events import Event, read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import Row, read_metrics
from liverl.record.runfile import ProcessRef, read_run
from liverl.record.trials import read_trials
from liverl.run.liveness import read_liveness
from liverl.run.retention import newest_complete
from tests.e2e.site import Site
from tests.e2e.traces import Watch, is_sandbox, processes_of

QUIET_LIMIT_S = 30.0
STEP_LIMIT_S = 600.0


@dataclass(frozen=True)
class Broken:
    """One break: how long until nothing lived, what did, and what the run then said of itself.

    `sandboxes` counts those that were open; `rows`, `trials` and `checkpoint` were on disk just before; `keys` were in
    the environment of its processes.
    """

    run: RunDir
    seconds: float
    sandboxes: int
    left: list[ProcessRef]
    state: str
    status: dict[str, Any]
    status_code: int
    events: list[Event]
    rows: list[Row]
    trials: int
    checkpoint: int
    keys: set[bytes]


def until(met: Callable[[], Any], limit_s: float, run: RunDir, *, live: bool = False) -> Any:
    """Poll until a condition holds and return what it gave; fails with the run's log when it never does.

    With `live` it also fails when the run ends before.
    """
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if found := met():
            return found
        if live and not read_liveness(run).is_live:
            break
        time.sleep(0.02)
    tail = "".join(run.latest_log.read_text(errors="replace").splitlines(keepends=True)[-30:])
    pytest.fail(f"not within {limit_s} s, the run is {read_liveness(run).state}\n{tail}")


def amid_a_step(run: RunDir, attempt: int) -> None:
    """Wait until this attempt has finished a step, and trials of the next are in their sandboxes."""
    until(
        lambda: any(row["attempt"] == attempt and row["step"] > 0 for row in read_rows(run)),
        STEP_LIMIT_S,
        run,
        live=True,
    )
    until(lambda: open_sandboxes(run), STEP_LIMIT_S, run, live=True)


def read_rows(run: RunDir) -> list[Row]:
    """The merged metrics; nothing before there is a file."""
    return read_metrics(run) if run.metrics_jsonl.exists() else []


def open_sandboxes(run: RunDir) -> list[ProcessRef]:
    """The run's sandboxes that live now."""
    return [process for process in processes_of(run) if is_sandbox(process)]


def break_it(site: Site, run: RunDir, blow: Callable[[], None]) -> Broken:
    """Strike, then look until no process of the run lives and its state is no longer live."""
    with Watch(site.runs, interval_s=0.05) as watch:
        time.sleep(0.3)  # the watch has to have seen everything that must go
        rows, trials, checkpoint = (
            read_rows(run),
            len(read_trials(run)),
            newest_complete(run.checkpoints) or 0,
        )
        sandboxes, begun = len(open_sandboxes(run)), time.monotonic()
        blow()
        while time.monotonic() - begun < QUIET_LIMIT_S:
            if not read_liveness(run).is_live and not watch.alive() and not processes_of(run):
                break
            time.sleep(0.05)
        seconds = time.monotonic() - begun
    left = [*watch.alive(), *processes_of(run)]
    said = site.liverl("status", run.name, "--json")
    return Broken(
        run=run,
        seconds=seconds,
        sandboxes=sandboxes,
        left=left,
        state=read_liveness(run).state,
        status=json.loads(said.stdout),
        status_code=said.returncode,
        events=read_events(run),
        rows=rows,
        trials=trials,
        checkpoint=checkpoint,
        keys=watch.keys,
    )


def kill(run: RunDir, name: str) -> None:
    """kill -9 of a process of the newest attempt."""
    process = read_run(run).last.process(name)
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)


def path_without(program: str, folder: Path) -> str:
    """A PATH that has every program of this one but `program`."""
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for path in Path(place).glob("*") if Path(place).is_dir() else ():
            link = folder / path.name
            link.unlink(missing_ok=True)
            if path.name != program:
                link.symlink_to(path)
    assert shutil.which(program, path=str(folder)) is None
    return str(folder)
