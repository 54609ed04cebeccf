"""The first signs of life of an attempt that was just started."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from liverl.errors import RunError
from liverl.record.events import Event, recent_events
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.record.stages import STAGES, Boot, read_boot
from liverl.record.tail import last_words
from liverl.run.liveness import Liveness, read_liveness

LIMIT_S = 30.0
_POLL_S = 0.1
_DEAD = ("failed", "dead")


@dataclass(frozen=True)
class SignsOfLife:
    """What to tell of an attempt that has started: the stage of its boot, and pids by what they are."""

    stage: str
    pids: Mapping[str, int] = field(default_factory=dict)


def signs_of_life(
    run: RunDir, limit_s: float = LIMIT_S, tick: Callable[[], None] | None = None
) -> SignsOfLife:
    """Wait until the data plane has said its first word, for at most `limit_s`; returns what there is to tell then.

    Raises `RunError` with the log's last words when the attempt has died meanwhile; nothing is tried again.
    """
    deadline = time.monotonic() + limit_s
    attempt = newest_attempt(run)
    while True:
        state, boot = read_liveness(run), _boot(run, attempt)
        if state.state in _DEAD:
            raise _died(run, state)
        # The supervisor itself tells of the first stage; the second is told by what it has started.
        has_spoken = boot is not None and boot.stage != STAGES[0]
        if has_spoken or not state.is_live or time.monotonic() >= deadline:
            return _signs(state, boot)
        if tick is not None:
            tick()
        time.sleep(_POLL_S)


def _boot(run: RunDir, attempt: int) -> Boot | None:
    """The boot of an attempt; None before its supervisor has told of it: the events end with the attempt before."""
    events = recent_events(run)
    begins = (index for index, event in enumerate(events) if _begins(event, attempt))
    begun = next(begins, None)
    return None if begun is None else read_boot(events[begun:])


def _begins(event: Event, attempt: int) -> bool:
    return event.kind in ("started", "resumed") and event.fields.get("attempt") == attempt


def _signs(state: Liveness, boot: Boot | None) -> SignsOfLife:
    processes = state.record.last.processes if state.record else ()
    return SignsOfLife(boot.stage if boot else "", {process.name: process.pid for process in processes})


def _died(run: RunDir, state: Liveness) -> RunError:
    number = state.record.last.number if state.record else 1
    words = last_words(run.attempt_log(number))
    return RunError(
        "run.not_started",
        f"The run {run.name} has died within its first seconds: {state.reason}.",
        evidence="\n        ".join(words) or "its log is empty",
        next_action=f"cat {run.latest_log}",
    )
