"""Ends a run cleanly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from liverl.record.layout import RunDir
from liverl.run import stop as run_stop
from liverl.run.resume import resume_step


@dataclass(frozen=True)
class Stopped:
    """A run that was stopped, and how to go on with it."""

    name: str
    state: str
    reason: str
    checkpoint_step: int
    next_action: str


def stop(run: RunDir, reason: str = "asked for", tick: Callable[[], None] | None = None) -> Stopped:
    """Stop a live run and wait until nothing of it is left; raises `RunError` when it isn't live."""
    state = run_stop.stop(run, reason, tick=tick)
    return Stopped(run.name, state.state, state.reason, resume_step(run), f"liverl resume {run.name}")
