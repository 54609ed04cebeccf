"""Real supervised runs of a scripted trainer, and how to wait for what they do."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan
from liverl.record.runfile import read_run
from liverl.run.launch import LaunchOrder, launch
from liverl.run.leftovers import end_leftovers
from liverl.run.liveness import Liveness, read_liveness
from liverl.run.processes import start_ticks

TRAINER = Path(__file__).with_name("scripted_trainer.py")
LIMIT_S = 30.0


def until(met: Callable[[], Any], limit_s: float = LIMIT_S) -> Any:
    """Poll until a condition holds and return what it gave; fails the test when it never does."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if found := met():
            return found
        time.sleep(0.03)
    pytest.fail(f"not within {limit_s} s: {met}")


def ended(run: RunDir) -> Liveness:
    """The state of a run once it is no longer live."""
    return until(lambda: None if (state := read_liveness(run)).is_live else state)


def process(run: RunDir, name: str) -> int:
    """The pid of a process of the newest attempt; waits until it is on record."""
    return int(until(lambda: read_run(run).last.process(name)).pid)


def made_pids(run: RunDir, count: int = 3) -> list[int]:
    """Every pid the scripted trainers made; waits until so many are there, by default the stubborn ones too."""
    path = run.data / "pids"
    until(lambda: path.exists() and len(path.read_text().split()) >= count)
    return [int(line) for line in path.read_text().split()]


def all_gone(pids: list[int]) -> bool:
    return all(start_ticks(pid) is None for pid in pids)


Launch = Callable[..., RunDir]


@pytest.fixture
def launch_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Launch]:
    """Launches runs; whatever still lives at the test's end is killed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made: list[RunDir] = []

    def start(
        *,
        name: str = "",
        door: tuple[str, ...] = (),
        ports: dict[str, int] | None = None,
        keep: int = 0,
        links: Path | None = None,
        boot_limits: dict[str, float] | None = None,
        **script: Any,
    ) -> RunDir:
        def plan(run: RunDir) -> AttemptPlan:
            return AttemptPlan(
                attempt=1,
                name=run.name,
                steps=int(script.get("steps", 3)),
                trainer=(sys.executable, str(TRAINER)),
                door=door,
                env={"SCRIPT": json.dumps(script)},
                ports=ports or {},
                keep_checkpoints=keep,
                grace_s=2.0,
                term_s=0.5,
                boot_limits=boot_limits or {},
            )

        order = LaunchOrder(
            tmp_path / "runs", "profile: cpu\n", lambda run: "", plan, ports or {}, name=name, links=links
        )
        run = launch(order)
        made.append(run)
        return run

    yield start
    for run in made:
        for item in (item for attempt in read_run(run).attempts for item in attempt.processes):
            if start_ticks(item.pid) == item.start_ticks:
                os.kill(item.pid, signal.SIGKILL)
        end_leftovers(run)  # a guard that was killed with its supervisor ends nothing
