"""Asks a run's supervisor for the end, waits for it, and looks whether nothing of the run is left."""

from __future__ import annotations

import time
from dataclasses import dataclass

from liverl.errors import RunError
from liverl.record.asks import StopAsk, ask_stop, is_unanswered, take_stop
from liverl.record.clock import utc_now
from liverl.record.events import Event, recent_events
from liverl.record.layout import RunDir
from liverl.record.runfile import Attempt, ProcessRef
from liverl.run.belongings import groups_of, has_processes, processes_of, taken_ports, workers_of
from liverl.run.direct import Tick, ask_by_signal, end_directly
from liverl.run.ladder import CHECKPOINT_LIMIT_S
from liverl.run.liveness import Liveness, is_ours, read_liveness
from liverl.run.saving import Saving

# The trainer's 15 s, the 10 s of the rest, the kills, and room for a busy machine.
STOP_LIMIT_S = 60.0
VERIFY_S = 10.0
NAMED_S = 5.0
_POLL_S = 0.1
_SAVING_POLL_S = 0.5


@dataclass(frozen=True)
class Ending:
    """How far a stop has come.

    `left` are processes of the run that live; `verified` says what was looked for and is gone, `remains` what isn't;
    `on_record` says whether the end is.
    """

    state: str
    reason: str
    on_record: bool
    left: tuple[ProcessRef, ...] = ()
    verified: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether the run has ended and nothing of it is left."""
        return self.on_record and not self.left and not self.remains


def stop(
    run: RunDir,
    reason: str,
    kill: bool = False,
    limit_s: float = STOP_LIMIT_S,
    tick: Tick | None = None,
    verify_s: float = VERIFY_S,
) -> Ending:
    """Stop a live run; raises `RunError` when it isn't live.

    Waits for `limit_s`, beyond the time that a checkpoint is being written. A supervisor that has not even taken the
    request by then is passed over: its recorded processes are signalled directly, in the same order. Without `kill`
    nothing is killed. Where the request can't be written, the supervisor is asked by signals.
    """
    state = require_live(run)
    attempt = state.record.last if state.record else None
    workers = workers_of(run)
    tick = tick or (lambda: None)
    try:
        ask, was_refused = ask_stop(run, reason, kill), False
    except OSError as error:  # a full disk, say
        ask, was_refused = ask_by_signal(run, attempt, StopAsk(utc_now(), reason, kill), error, tick), True
    state = _wait(run, ask, limit_s, tick)
    # One that was asked by a signal can't have left the request lying; then only the second word passes it over.
    is_deaf = kill if was_refused else is_unanswered(run)
    if state.is_live and is_deaf and attempt is not None and is_ours(attempt):
        end_directly(run, attempt, kill, tick)
        state = read_liveness(run)
    if not state.is_live:
        take_stop(run)  # it may have ended before it looked
    return _look(run, state, workers, tick, verify_s)


def require_live(run: RunDir) -> Liveness:
    """The state of a live run; raises `RunError` when nothing of it lives, or it lives elsewhere."""
    state = read_liveness(run)
    if state.is_live:
        return state
    if state.state == "unreachable":
        raise RunError(
            "run.unreachable",
            f"The run {run.name} can't be asked from here.",
            evidence=state.reason,
            next_action=f"on its own machine: liverl stop {run.root}",
        )
    raise RunError(
        "run.not_alive",
        f"The run {run.name} is {state.state}: there is nothing to stop.",
        evidence=state.reason,
        next_action=f"liverl status {run.name}",
    )


def _wait(run: RunDir, ask: StopAsk, limit_s: float, tick: Tick) -> Liveness:
    """Until the end is on record, or processes were named that do not end, or time is up.

    On a busy machine one that was named may end a moment later: it has `NAMED_S` more.
    """
    saving = Saving(run.checkpoints)
    begun = time.monotonic()
    deadline, looked, named = begun + limit_s, 0.0, 0.0
    while True:
        state = read_liveness(run)
        now = time.monotonic()
        if now - looked >= _SAVING_POLL_S:
            looked = now
            if saving.step() is not None:
                deadline = min(begun + CHECKPOINT_LIMIT_S, now) + limit_s
        if not state.is_live or now >= deadline:
            return state
        if not named and not ask.kill and _has_named(recent_events(run), ask):
            named = now
        if named and now - named >= NAMED_S and _others(processes_of(run, _attempts(state))):
            return state
        tick()
        time.sleep(_POLL_S)


def _has_named(events: list[Event], ask: StopAsk) -> bool:
    """Whether the supervisor has named processes that do not end, after it was asked."""
    return any(
        event.kind == "stopping" and "processes" in event.fields and event.time >= ask.time
        for event in reversed(events)
    )


def _look(run: RunDir, state: Liveness, workers: list[int], tick: Tick, limit_s: float) -> Ending:
    """What is gone and what remains; the kernel needs a moment to clear up after a process."""
    deadline = time.monotonic() + (limit_s if not state.is_live else 0.0)
    while True:
        ending = _verify(run, state, workers)
        if ending.is_over or time.monotonic() >= deadline:
            return ending
        tick()
        time.sleep(_POLL_S)


def _verify(run: RunDir, state: Liveness, workers: list[int]) -> Ending:
    attempts = _attempts(state)
    verified: list[str] = []
    remains: list[str] = []
    if attempts and not is_ours(attempts[-1]):
        verified.append(
            f"its supervisor on {attempts[-1].host} has recorded the end; nothing was looked for here"
        )
        return Ending(
            state.state, state.reason, not state.is_live, (), tuple(verified) if not state.is_live else ()
        )
    living = processes_of(run, attempts)
    left = _others(living) or living
    crowded = [group for group in groups_of(workers) if has_processes(group)]
    ports = sorted(state.record.ports.values()) if state.record else []
    taken = taken_ports(ports)
    _sort(not left, "no process of it lives", f"{len(left)} of its processes live", verified, remains)
    _sort(
        not crowded, "no sandbox of it is there", f"{len(crowded)} of its sandboxes live", verified, remains
    )
    if ports:
        free = f"its ports are free ({', '.join(map(str, ports))})"
        _sort(not taken, free, f"port {', '.join(map(str, taken))} is still taken", verified, remains)
    no_session = "no Ray session folder of it is there"
    # A run that failed keeps it on purpose: Ray's own logs lie there.
    if not run.scratch.exists() or state.state in ("failed", "dead"):
        verified += [no_session] if not run.scratch.exists() else []
    else:
        remains.append(f"{run.scratch} is still there")
    return Ending(state.state, state.reason, not state.is_live, tuple(left), tuple(verified), tuple(remains))


def _attempts(state: Liveness) -> tuple[Attempt, ...]:
    return state.record.attempts if state.record else ()


def _others(living: list[ProcessRef]) -> list[ProcessRef]:
    """Without those two that only wait for the others."""
    return [process for process in living if process.name not in ("guard", "supervisor")]


def _sort(is_gone: bool, gone: str, there: str, verified: list[str], remains: list[str]) -> None:
    (verified if is_gone else remains).append(gone if is_gone else there)
