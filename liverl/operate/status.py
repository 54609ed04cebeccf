"""How a run is doing, read from its directory; and the same again and again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from liverl.errors import RunError
from liverl.operate.validation import Validation, current_rows, measured, summarise
from liverl.record.clock import to_seconds
from liverl.record.events import Event, read_events
from liverl.record.jsonl import JsonlTail
from liverl.record.layout import RunDir
from liverl.record.metrics import Row, read_metrics
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan
from liverl.record.trials import TrialRow, parse_trials
from liverl.run.liveness import Liveness, read_liveness
from liverl.run.resume import resume_step
from liverl.run.retention import checkpoint_steps

_RECENT_ROWS = 10


@dataclass(frozen=True)
class Status:
    """A run at one moment.

    `phase` is what it is at now: booting, validating, training, finishing, or "" when it isn't live;
    `trials_done` of `trials_total` count that phase; `trials_lost` failed for a reason that is not the agent's.
    `reward` is the mean of the last step's trials. `reason` and `evidence` say why it ended; `next_action` is a
    command; `artifacts` are (what, where) of what it has made so far.
    """

    name: str
    state: str
    reason: str
    run_dir: str
    attempt: int
    phase: str
    step: int
    steps_total: int
    reward: float | None
    validation: Validation
    trials_done: int
    trials_total: int
    trials_lost: int
    eta_s: float | None
    started: str
    last_event: dict[str, Any] | None
    evidence: tuple[str, ...]
    next_action: str
    log: str
    rewards: tuple[tuple[int, float], ...] = field(default=())
    artifacts: tuple[tuple[str, str], ...] = field(default=())

    @property
    def is_live(self) -> bool:
        """Whether its processes are at work."""
        return self.state in ("starting", "running")

    def as_dict(self) -> dict[str, Any]:
        """The status as JSON."""
        return asdict(self)


class Observer:
    """Reads a run's status repeatedly, each time only what is new of its trials."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._tail = JsonlTail(run.trials_jsonl)
        self._rows: list[TrialRow] = []

    def read(self) -> Status:
        """The status now; raises `RunError` when the directory is no run."""
        state = read_liveness(self._run)
        plan = _plan(self._run)
        # Spans are for the accounting of time; kept, they would be most of a long run's memory.
        self._rows += [replace(row, spans=[]) for row in parse_trials(self._tail.read())]
        return _assemble(self._run, state, plan, self._rows, read_metrics(self._run), read_events(self._run))


def status(run: RunDir) -> Status:
    """The run's status now."""
    return Observer(run).read()


def watch(run: RunDir, interval_s: float) -> Iterator[Status]:
    """Its status every so often; the last one is of a run that is no longer live."""
    observer = Observer(run)
    while True:
        now = observer.read()
        yield now
        if not now.is_live:
            return
        time.sleep(interval_s)


def _assemble(
    run: RunDir,
    state: Liveness,
    plan: AttemptPlan,
    rows: list[TrialRow],
    metrics: list[Row],
    events: list[Event],
) -> Status:
    attempts = state.record.attempts if state.record else ()
    starts_s = [to_seconds(attempt.started) for attempt in attempts]
    standing = current_rows(rows, starts_s)
    step = _step(run, plan, metrics)
    logged = {row["step"] for row in metrics}
    phase, done, total = _progress(state, plan, step, rows, starts_s)
    rewards = tuple((row["step"], value) for row in metrics if (value := _reward(row)) is not None)
    return Status(
        name=run.name,
        state=state.state,
        reason=state.reason,
        run_dir=str(run.root),
        attempt=plan.attempt,
        phase=phase,
        step=step,
        steps_total=plan.steps,
        reward=rewards[-1][1] if rewards else None,
        validation=summarise(measured(standing, plan.validation_trials, logged)),
        trials_done=done,
        trials_total=total,
        trials_lost=sum(1 for row in standing if row.outcome == "infrastructure"),
        eta_s=_eta_s(plan, step, metrics) if state.is_live else None,
        started=attempts[0].started if attempts else "",
        last_event=events[-1].as_dict() if events else None,
        evidence=_evidence(state, events),
        next_action=_next_action(run, state),
        log=str(run.attempt_log(plan.attempt)),
        rewards=rewards,
        artifacts=_artifacts(run, events),
    )


def _artifacts(run: RunDir, events: list[Event]) -> tuple[tuple[str, str], ...]:
    found = []
    exported = [event.fields.get("path") for event in events if event.kind == "exported"]
    if exported:
        found.append(("policy", f"{run.root / str(exported[-1])}"))
    steps = checkpoint_steps(run.checkpoints)
    if steps:
        found.append(("checkpoints", f"{run.checkpoints}  (steps {', '.join(map(str, steps))})"))
    return tuple(found)


def _plan(run: RunDir) -> AttemptPlan:
    try:
        return read_plan(run, newest_attempt(run))
    except RunError:
        return AttemptPlan(attempt=newest_attempt(run), name=run.name, steps=0, trainer=())


def _step(run: RunDir, plan: AttemptPlan, metrics: list[Row]) -> int:
    own = [row["step"] for row in metrics if row["attempt"] == plan.attempt]
    return max(own) if own else (resume_step(run) if plan.attempt > 1 else 0)


def _progress(
    state: Liveness, plan: AttemptPlan, step: int, rows: list[TrialRow], starts_s: list[float]
) -> tuple[str, int, int]:
    """Phase, trials done, trials of all."""
    if not state.is_live:
        return "", 0, 0
    if 0 < plan.steps <= step:
        return "finishing", 0, 0
    since = starts_s[-1] if starts_s else 0.0
    fresh = [row for row in rows if to_seconds(row.time) >= since]
    ahead = [row for row in fresh if row.step > step or (row.split == "val" and row.step == step)]
    if not ahead:
        return ("training" if fresh or step > 0 else "booting"), 0, plan.trials_per_step
    split, current = ahead[-1].split, ahead[-1].step
    done = sum(1 for row in ahead if row.split == split and row.step == current)
    if split == "val":
        is_over = 0 < plan.validation_trials <= done
        return (
            ("training", 0, plan.trials_per_step) if is_over else ("validating", done, plan.validation_trials)
        )
    return "training", done, plan.trials_per_step


def _reward(row: Row) -> float | None:
    value = row.get("trial/reward/mean", row.get("critic/score/mean"))
    return None if value is None else float(value)


def _eta_s(plan: AttemptPlan, step: int, metrics: list[Row]) -> float | None:
    """Seconds left by the mean of the recent steps, validations and checkpoints among them included."""
    recent = [row for row in metrics if row["attempt"] == plan.attempt][-_RECENT_ROWS:]
    if len(recent) < 2 or plan.steps <= 0:
        return None
    first, last = recent[0], recent[-1]
    took_s = to_seconds(str(last["time"])) - to_seconds(str(first["time"]))
    each_s = took_s / max(1, last["step"] - first["step"])
    since_s = time.time() - to_seconds(str(last["time"]))
    return max(0.0, (plan.steps - step) * float(each_s) - since_s)


def _evidence(state: Liveness, events: list[Event]) -> tuple[str, ...]:
    if state.state == "failed":
        died = [event for event in events if event.kind == "died" and not event.fields.get("restarted")]
        lines = died[-1].fields.get("lines") if died else None
        return tuple(str(line) for line in lines) if isinstance(lines, list) else ()
    if state.state == "dead":
        age_s = state.heartbeat_age_s
        return () if age_s is None else (f"last heartbeat {age_s:.0f} s ago",)
    return ()


def _next_action(run: RunDir, state: Liveness) -> str:
    if state.is_live:
        return f"liverl trials {run.name}"
    if state.state == "finished":
        return f"liverl trials {run.name} --split val"
    return f"liverl resume {run.name}"
