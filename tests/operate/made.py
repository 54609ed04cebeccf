"""Run directories as the supervisor and the workers would have left them, written by their own writers."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from liverl.record.clock import to_utc
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.metrics import MetricsFile, trial_metrics
from liverl.record.plan import AttemptPlan, write_plan
from liverl.record.runfile import Attempt, RunRecord, write_run
from liverl.record.trials import TrialRow, append_trial
from liverl.run.processes import boot_id, pid_namespace, reference
from tests.record.rows import trial_row

Made = Callable[..., RunDir]
START_S = time.time() - 1000
PLAN = AttemptPlan(1, "r", 30, (sys.executable,), trials_per_step=4, validation_trials=2)


def at(after_s: float) -> str:
    """A time so many seconds after the run's start."""
    return to_utc(START_S + after_s)


def add_step(
    run: RunDir, step: int, reward: float, *, attempt: int = 1, trials: Sequence[TrialRow] = (), **values: Any
) -> None:
    """A step as the supervisor records it: its row of metrics, ten seconds after the last, and its event."""
    measured = trial_metrics(row for row in trials if row.step == step and row.split == "val")
    row = {"step": step, "attempt": attempt, "time": at(10.0 * step), "trial/reward/mean": reward, **measured}
    MetricsFile(run).add({**row, **values})
    found = measured.get("trial/val/reward/mean")
    validation = {} if found is None else {"validation": found}
    append_event(run, "step", attempt=attempt, step=step, reward=reward, **validation)


def silence(run: RunDir, age_s: float) -> None:
    """As if nothing had been written for so long; the heart goes on beating."""
    for path in run.root.rglob("*"):
        if path.is_file() and path != run.heartbeat:
            os.utime(path, (time.time() - age_s,) * 2)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Makes a run: its state, steps as (step, reward), trials as changes of a row, attempts' starts."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("LIVERL_RUNS", raising=False)

    def make(
        name: str = "policy-shell-0101a",
        *,
        state: str = "running",
        steps: tuple[tuple[int, float], ...] = (),
        trials: tuple[dict[str, Any], ...] = (),
        starts: tuple[float, ...] = (0.0,),
        plan: dict[str, Any] | None = None,
        **ending: Any,
    ) -> RunDir:
        run = RunDir.create(tmp_path / "runs" / name)
        run.config.write_text("profile: cpu\n")
        me = reference("supervisor", os.getpid())
        attempts = tuple(
            Attempt(
                number, at(start), socket.gethostname(), boot_id(), pid_namespace(), "failed", processes=(me,)
            )
            for number, start in enumerate(starts, 1)
        )
        last = replace(attempts[-1], state=state, **ending)
        write_run(run, RunRecord(name, at(0), 30, {}, (*attempts[:-1], last)))
        for attempt in attempts:
            write_plan(run, replace(PLAN, attempt=attempt.number, name=name, **(plan or {})))
        run.heartbeat.touch()
        for attempt in attempts:
            append_event(
                run, "started" if attempt.number == 1 else "resumed", attempt=attempt.number, steps=30
            )
        rows = [trial_row(**{"time": at(starts[-1] + 1), **changes}) for changes in trials]
        own = [row for row in rows if row.time >= at(starts[-1])]
        for step, reward in steps:
            add_step(run, step, reward, attempt=len(starts), trials=own)
        for row in rows:
            append_trial(run, row)
        return run

    return make
