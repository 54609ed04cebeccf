"""What a drill does to a run that is under way: kill, suspend, cut a file; and how it waits."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liverl.errors import RunError
from liverl.operate.drill_form import NEVER, Drill
from liverl.record.clock import utc_now
from liverl.record.events import post_event, read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.runfile import ProcessRef, read_run
from liverl.run.belongings import marked
from liverl.run.leftovers import end_leftovers
from liverl.run.liveness import read_liveness
from liverl.run.processes import send
from liverl.run.retention import newest_complete
from liverl.run.stop import stop as stop_run

LIMIT_S = 600.0
# A step of such a run takes some three seconds, and a blow may fall at any moment of one.
_STEP_S = 3.0
_STEADY_STEPS = 6
_SILENCE_S = 45.0
_POLL_S = 0.1

Resume = Callable[[], None]


@dataclass(frozen=True)
class Broken:
    """What was broken, when (UTC), and after which step; step 0 is the run's beginning."""

    what: str
    time: str
    step: int


def act(drill: Drill, run: RunDir, resume: Resume, look: Callable[[], None]) -> Broken:
    """Do to a launched run what its drill says, and wait until it shows.

    `resume` starts one more attempt; `look` is called again and again while a run that nobody touches goes on.
    """
    match drill.act:
        case "kill":
            broken = _blow(drill, run, signal.SIGKILL)
        case "kill-door":
            broken = _kill_door(drill, run)
        case "freeze":
            broken = _blow(drill, run, signal.SIGSTOP)
            time.sleep(_SILENCE_S)
            return broken
        case "cut":
            broken = _cut(drill, run, resume)
        case "watch":
            _until(lambda: _over(run, look), run)
            return _on_record(drill, run)
    _until(lambda: not read_liveness(run).is_live, run)
    return broken


def finish(run: RunDir) -> None:
    """End whatever of a drill's run still lives."""
    for process in marked(run):
        send(process, signal.SIGCONT)
    if run.run_json.exists() and read_liveness(run).is_live:
        stop_run(run, "the drill is over", kill=True)
    end_leftovers(run)


def _blow(drill: Drill, run: RunDir, number: signal.Signals) -> Broken:
    _steps(run, _STEADY_STEPS)
    time.sleep(random.uniform(0.0, _STEP_S))
    victim = _oldest(run, drill.victim)
    send(victim, number)
    return _told(drill, run, f"{number.name} to {drill.victim}, pid {victim.pid}")


def _kill_door(drill: Drill, run: RunDir) -> Broken:
    _steps(run, 2)
    first = _door(run)
    send(first, signal.SIGKILL)
    broken = _told(drill, run, f"SIGKILL to LiteLLM, pid {first.pid}, and to the next one")
    _until(lambda: _door(run).pid != first.pid, run)
    send(_door(run), signal.SIGKILL)
    return broken


def _cut(drill: Drill, run: RunDir, resume: Resume) -> Broken:
    _steps(run, 2)
    _until(lambda: newest_complete(run.checkpoints), run)
    stop_run(run, "the drill cuts its checkpoint")
    step = newest_complete(run.checkpoints)
    (weights,) = (run.checkpoints / f"global_step_{step}" / "actor").glob("model_world_size_*_rank_0.pt")
    size = weights.stat().st_size
    os.truncate(weights, size // 2)
    resume()
    return _told(drill, run, f"{weights.name} of step {step} cut from {size} to {size // 2} bytes")


def _told(drill: Drill, run: RunDir, what: str) -> Broken:
    step = last_step(run)
    post_event(run, "drill", drill=drill.name, step=step, message=f"the drill {drill.name}: {what}")
    return Broken(what, utc_now(), step)


def _on_record(drill: Drill, run: RunDir) -> Broken:
    """When a run that nobody touched began to fail.

    The run's own processes tell of a failure that is made in them. What is wrong with tasks, configuration or
    surroundings shows from the first trial on, or when the run starts; a crash follows the last step that was made.
    """
    events = read_events(run)
    if drill.at == NEVER:
        kinds = ("started", "ready", "step") if drill.kind == "crash" else ("started", "ready")
        last = [event for event in events if event.kind in kinds][-1]
        return Broken(drill.how, last.time, int(last.fields.get("step") or 0))
    for event in events:
        if event.kind == "drill":
            return Broken(drill.how, event.time, int(event.fields.get("step") or 0))
    raise RunError(
        "drill.not_begun",
        f"The run ended before the failure began, which was to be after step {drill.at}.",
        evidence=read_liveness(run).reason,
        next_action=f"liverl logs {run.root}",
    )


def last_step(run: RunDir) -> int:
    """The last step that a run has made; 0 without one."""
    rows = read_metrics(run) if run.metrics_jsonl.exists() else []
    return max((int(row["step"]) for row in rows), default=0)


def _over(run: RunDir, look: Callable[[], None]) -> bool:
    look()
    return not read_liveness(run).is_live


def _steps(run: RunDir, count: int) -> None:
    _until(lambda: last_step(run) >= count, run, live=True)


def _door(run: RunDir) -> ProcessRef:
    return next(each for each in reversed(read_run(run).last.processes) if each.name == "door")


def _oldest(run: RunDir, title: str) -> ProcessRef:
    """The run's process of a title: what Ray calls its actor. What that one forks bears the title too, for a while."""
    found = [process for process in marked(run) if _title(process).startswith(title)]
    if not found:
        raise RunError("drill.no_victim", f"No process of {run.name} is called {title}.")
    return min(found, key=lambda process: process.start_ticks)


def _title(process: ProcessRef) -> str:
    try:
        line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return line.partition(b"\0")[0].decode(errors="replace")


def _until(met: Callable[[], Any], run: RunDir, *, live: bool = False) -> None:
    """Wait until a condition holds; raises `RunError` after ten minutes, and with `live` when the run ends before."""
    deadline = time.monotonic() + LIMIT_S
    while not met():
        over = live and not read_liveness(run).is_live
        if over or time.monotonic() >= deadline:
            raise RunError(
                "drill.failed",
                f"The run {run.name} {'ended before it could be broken' if over else 'did not get there in time'}.",
                evidence=read_liveness(run).reason,
                next_action=f"liverl logs {run.root}",
            )
        time.sleep(_POLL_S)
