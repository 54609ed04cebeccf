"""Asks a run's supervisor for the end, and waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from liverl.errors import RunError
from liverl.record.asks import ask_stop
from liverl.record.layout import RunDir
from liverl.run.liveness import Liveness, read_liveness

# The trainer's 15 s, the 3 s of the rest, the kills, and room for a busy machine.
STOP_LIMIT_S = 60.0


def stop(
    run: RunDir, reason: str, limit_s: float = STOP_LIMIT_S, tick: Callable[[], None] | None = None
) -> Liveness:
    """Stop a live run and return its state then; raises `RunError` when it isn't live, or is slow to end."""
    state = read_liveness(run)
    if not state.is_live:
        raise RunError(
            "run.not_alive",
            f"The run {run.name} is {state.state}: there is nothing to stop.",
            evidence=state.reason,
            next_action=f"liverl status {run.name}",
        )
    ask_stop(run, reason)
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        state = read_liveness(run)
        if not state.is_live:
            return state
        if tick is not None:
            tick()
        time.sleep(0.1)
    raise RunError(
        "run.slow_stop",
        f"The run {run.name} did not end within {limit_s:.0f} s.",
        next_action=f"cat {run.latest_log}",
    )
