"""Ends a run by signals to its recorded processes, where its supervisor can't be asked or does not answer."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from liverl.errors import RunError
from liverl.record.asks import StopAsk
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, read_plan
from liverl.record.runfile import Attempt, ProcessRef
from liverl.run.leftovers import end_leftovers
from liverl.run.liveness import is_ours, read_liveness
from liverl.run.processes import descendants, is_alive, send, send_group

_POLL_S = 0.1
_GUARD_S = 10.0
# Two pending signals of a kind are one; a busy process takes its signals within this.
_APART_S = 1.0

Tick = Callable[[], None]


def ask_by_signal(
    run: RunDir, attempt: Attempt | None, ask: StopAsk, refused: OSError, tick: Tick
) -> StopAsk:
    """Signal the recorded supervisor where a request can't be written; returns what it was asked so.

    SIGTERM is a stop to it, and a second SIGINT the word to kill.
    """
    supervisor = attempt.process("supervisor") if attempt and is_ours(attempt) else None
    if supervisor is None or not is_alive(supervisor):
        raise RunError(
            "run.cant_ask",
            f"The run {run.name} can't be asked to stop: the request can't be written.",
            evidence=str(refused),
            next_action=f"df -h {run.root}   and where it runs: liverl stop {run.root}",
        ) from refused
    numbers = (signal.SIGINT, signal.SIGINT) if ask.kill else (signal.SIGTERM,)
    for count, number in enumerate(numbers):
        if count:
            _wait_until(lambda: False, _APART_S, tick)
        send(supervisor, number)
        # As systemd does: one that was suspended can only act on it when it goes on.
        send(supervisor, signal.SIGCONT)
    return ask


def end_directly(run: RunDir, attempt: Attempt, kill: bool, tick: Tick) -> None:
    """The supervisor's own ladder, from outside: only processes that are recorded, and what is below those."""
    own = [process for process in attempt.processes if process.name != "guard"]
    trainer, supervisor = attempt.process("trainer"), attempt.process("supervisor")
    grace_s, term_s = _times(run, attempt)
    if trainer is not None:
        send_group(trainer, signal.SIGINT)
        _wait_gone([trainer], grace_s, tick)
    for process in _with_descendants(own):
        send(process, signal.SIGTERM)
    if supervisor is not None:
        # As above.
        send(supervisor, signal.SIGCONT)
    if _wait_end(run, own, grace_s + term_s, tick) or not kill:
        return
    doomed = _with_descendants(own)
    for process in doomed:
        send(process, signal.SIGKILL)
    # The guard sees the supervisor's death, and ends whatever else there is below itself.
    guard = attempt.process("guard")
    if guard is not None and not _wait_gone([guard], _GUARD_S, tick):
        send(guard, signal.SIGKILL)
    end_leftovers(run)


def _with_descendants(processes: list[ProcessRef]) -> list[ProcessRef]:
    living = [process for process in processes if is_alive(process)]
    below = [item for process in living for item in descendants(process.pid)]
    return list({item.pid: item for item in [*below, *living]}.values())


def _times(run: RunDir, attempt: Attempt) -> tuple[float, float]:
    """The seconds that the plan gives after SIGINT and after SIGTERM."""
    try:
        plan = read_plan(run, attempt.number)
    except RunError:
        plan = AttemptPlan(attempt.number, run.name, 0, ())
    return plan.grace_s, plan.term_s


def _wait_end(run: RunDir, processes: list[ProcessRef], limit_s: float, tick: Tick) -> bool:
    return _wait_until(
        lambda: not read_liveness(run).is_live and not any(is_alive(item) for item in processes),
        limit_s,
        tick,
    )


def _wait_gone(processes: list[ProcessRef], limit_s: float, tick: Tick) -> bool:
    return _wait_until(lambda: not any(is_alive(process) for process in processes), limit_s, tick)


def _wait_until(met: Callable[[], bool], limit_s: float, tick: Tick) -> bool:
    deadline = time.monotonic() + limit_s
    while not met():
        if time.monotonic() >= deadline:
            return False
        tick()
        time.sleep(_POLL_S)
    return True
