"""How a run is doing, read from its directory at the cost of what is new there.

Observer   reads it repeatedly
status     once
watch      again and again, until the run has ended
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from threading import Lock

from liverl.errors import RunError
from liverl.log.rows import Row, number, whole
from liverl.operate.booting import BootStage, boot_stage, longest_limit_s
from liverl.operate.happenings import Happenings
from liverl.operate.health import WINDOW, health_of, rate_s, reward_of, stall_limit_s, time_of, trend_of
from liverl.operate.remembered import recall
from liverl.operate.standing import LastWrite, Status
from liverl.operate.steps_made import StepsMade
from liverl.operate.under_way import UnderWay
from liverl.operate.validation import Measured
from liverl.operate.written import checkpoint_age_s, last_write
from liverl.record.clock import to_seconds
from liverl.record.layout import RunDir
from liverl.record.masking import mask
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan
from liverl.record.tail import cause_line
from liverl.run.liveness import Liveness, read_liveness
from liverl.run.resume import resume_step
from liverl.run.retention import checkpoint_steps

__all__ = ["Observer", "Status", "status", "watch"]

_EVIDENCE_LINES = 3


class Observer:
    """Reads a run's status repeatedly, each time only what is new; may be used by several threads."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._happenings = Happenings(run.events_jsonl)
        self._steps = StepsMade(run)
        self._trials = UnderWay(run.trials_jsonl)
        self._lock = Lock()

    def read(self) -> Status:
        """The status now; raises `RunError` when the directory is no run, or its record can't be read."""
        with self._lock:
            return self._read()

    def _read(self) -> Status:
        run, seen = self._run, self._happenings
        state = read_liveness(run)
        plan = _plan(run)
        seen.update()
        attempts = state.record.attempts if state.record else ()
        is_begun = bool(attempts) and attempts[-1].number == plan.attempt
        self._trials.update(to_seconds(attempts[-1].started) if attempts else 0.0)
        own_step = seen.step if seen.attempt in (0, plan.attempt) else None
        rows = self._steps.read(plan.attempt, own_step)
        own = [row for row in rows if row.get("attempt") == plan.attempt]
        step = max((found for row in own if (found := whole(row, "step")) is not None), default=own_step)
        made = step if step is not None else resume_step(run) if plan.attempt > 1 else 0
        self._add_validations(rows)
        boot = boot_stage(seen.boot, plan) if is_begun and seen.attempt in (0, plan.attempt) else None
        if step is not None or self._trials.any_ended:
            boot = None
        phase, done, total = self._progress(state, plan, made, boot)
        written = last_write(run, plan.attempt)
        limit_s = _limit_s(state, plan, boot, own)
        told, reason = _judge(run, state, phase, boot, written, limit_s)
        rewards = tuple((row["step"], reward) for row in rows if (reward := reward_of(row)) is not None)
        return Status(
            name=run.name,
            state=told,
            reason=reason,
            run_dir=str(run.root),
            attempt=plan.attempt,
            phase=phase,
            step=made,
            steps_total=plan.steps,
            reward=rewards[-1][1] if rewards else None,
            validation=seen.validations.summary(plan.validation_trials),
            trials_done=done,
            trials_total=total,
            eta_s=_eta_s(plan, made, own) if state.is_live else None,
            started=attempts[0].started if attempts else "",
            last_event=seen.last.as_dict() if seen.last else None,
            evidence=_evidence(state, seen),
            next_action=_next_action(run, told),
            log=str(run.attempt_log(plan.attempt)),
            rewards=rewards,
            artifacts=() if state.is_live else _artifacts(run, seen),
            rate_s=rate_s(own),
            trend=trend_of([reward for _, reward in rewards]),
            health=health_of(own),
            last_write=written,
            boot=boot if told in ("starting", "stalled") else None,
            checkpoint=seen.checkpoint,
            findings=_findings(run, plan.attempt),
        )

    def _add_validations(self, rows: Sequence[Row]) -> None:
        # An asynchronous trainer logs a step in several rows, of which the event was only the first.
        for row in rows[-WINDOW:]:
            reward, step = number(row, "trial/val/reward/mean"), whole(row, "step")
            if reward is not None and step is not None:
                trials = whole(row, "trial/val/scored") or 0
                self._happenings.validations.add(Measured(step, reward, trials, whole(row, "attempt") or 0))

    def _progress(
        self, state: Liveness, plan: AttemptPlan, step: int, boot: BootStage | None
    ) -> tuple[str, int, int]:
        """Phase, trials done, trials of all."""
        if not state.is_live:
            return "", 0, 0
        if 0 < plan.steps <= step:
            return "finishing", 0, 0
        ahead = self._trials.ahead(step)
        if ahead is None:
            is_booting = state.state == "starting" or boot is not None
            return "booting" if is_booting else "training", 0, plan.trials_per_step
        split, done = ahead
        is_validating = split == "val" and not 0 < plan.validation_trials <= done
        if is_validating:
            return "validating", done, plan.validation_trials
        return "training", done if split != "val" else 0, plan.trials_per_step


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


def _judge(
    run: RunDir,
    state: Liveness,
    phase: str,
    boot: BootStage | None,
    written: LastWrite | None,
    limit_s: float | None,
) -> tuple[str, str]:
    """The state as it is told, and why."""
    if state.state not in ("starting", "running"):
        return state.state, state.reason
    if limit_s is not None and written is not None and written.age_s > limit_s:
        saving_s = checkpoint_age_s(run)
        if saving_s is None or saving_s > limit_s:
            doing = f"at boot stage {boot.name}" if boot is not None else "by its own step times"
            return (
                "stalled",
                f"nothing was written for {written.age_s:.0f} s, {limit_s:.0f} s are its limit {doing}",
            )
    told = {"booting": "starting", "validating": "validating"}.get(phase, "training")
    return told, state.reason


def _limit_s(state: Liveness, plan: AttemptPlan, boot: BootStage | None, own: Sequence[Row]) -> float | None:
    """How long a live run may be silent; None where nothing is known to measure it by."""
    if boot is not None:
        return boot.limit_s
    # Before its first step a run has no times of its own; the boot's longest stage stands for them.
    return stall_limit_s(own) or longest_limit_s(plan) if state.is_live else None


def _findings(run: RunDir, attempt: int) -> str:
    """What the last diagnosis of this attempt said; "" where nobody has looked."""
    found = recall(run)
    return found.line if found is not None and found.attempt == attempt else ""


def _plan(run: RunDir) -> AttemptPlan:
    newest = newest_attempt(run)
    try:
        return read_plan(run, newest)
    except RunError:
        return AttemptPlan(attempt=newest, name=run.name, steps=0, trainer=())


def _eta_s(plan: AttemptPlan, step: int, own: Sequence[Row]) -> float | None:
    """Seconds left by the rate of the newest steps, validations and checkpoints among them included."""
    each_s = rate_s(own)
    if each_s is None or plan.steps <= 0:
        return None
    return max(0.0, (plan.steps - step) * each_s - max(0.0, time.time() - time_of(own[-1])))


def _artifacts(run: RunDir, seen: Happenings) -> tuple[tuple[str, str], ...]:
    found = []
    if seen.exported is not None:
        found.append(("policy", f"{run.root / str(seen.exported.fields.get('path'))}"))
    steps = checkpoint_steps(run.checkpoints)
    if steps:
        found.append(("checkpoints", f"{run.checkpoints}  (steps {', '.join(map(str, steps))})"))
    return tuple(found)


def _evidence(state: Liveness, seen: Happenings) -> tuple[str, ...]:
    if state.state == "failed" and seen.died is not None:
        lines = seen.died.fields.get("lines")
        return _telling(
            [mask(str(line)) for line in lines if str(line).strip()] if isinstance(lines, list) else []
        )
    if state.state == "dead" and state.heartbeat_age_s is not None:
        return (f"last heartbeat {state.heartbeat_age_s:.0f} s ago",)
    return ()


def _telling(lines: list[str]) -> tuple[str, ...]:
    """The line that names the error, with those before it."""
    cause = cause_line(lines)
    end = next((index for index in range(len(lines), 0, -1) if lines[index - 1].strip() == cause), len(lines))
    return tuple(lines[max(0, end - _EVIDENCE_LINES) : max(end, _EVIDENCE_LINES)])


def _next_action(run: RunDir, told: str) -> str:
    if told in ("starting", "stalled"):
        return f"liverl logs {run.name}"
    if told == "unreachable":
        return f"on the machine that the reason names: liverl status {run.name}"
    if told == "stopping":
        return f"liverl status {run.name}"
    if told in ("training", "validating"):
        return f"liverl trials {run.name}"
    if told == "finished":
        return f"liverl trials {run.name} --split val"
    return f"liverl resume {run.name}"
