"""What the data plane wrote, brought into metrics.jsonl and events.jsonl as it grows."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from liverl.record.clock import to_seconds
from liverl.record.events import Event, append_event, each_posted, ingest_event
from liverl.record.jsonl import JsonlTail, read_objects
from liverl.record.layout import RunDir
from liverl.record.metrics import MetricsFile, flatten, trial_metrics
from liverl.record.plan import AttemptPlan
from liverl.record.trials import TrialRow, parse_trials
from liverl.run.retention import newest_complete, prune_checkpoints, prune_tokens, size_bytes, sweep_leftovers

_REWARD = "trial/reward/mean"
_VALIDATION = "trial/val/reward/mean"
# How long a step's trials stay in memory when nothing else says so: late rows of asynchronous trainers.
_ROWS_HELD_STEPS = 20


class Ingest:
    """Polled by the supervisor of one attempt; each new thing becomes one row or one event.

    What can't be written (`OSError`) is written by a later poll.
    """

    def __init__(
        self, run: RunDir, plan: AttemptPlan, started: str, on_event: Callable[[Event], None] = lambda _: None
    ) -> None:
        self._run = run
        self._on_event = on_event
        self._has_trial = False
        self._first_trial: TrialRow | None = None
        self._plan = plan
        self._started_s = to_seconds(started)
        self._metrics = MetricsFile(run)
        self._verl = JsonlTail(run.attempt_metrics(plan.attempt))
        self._trials = JsonlTail(run.trials_jsonl)
        self._rows: dict[int, list[TrialRow]] = defaultdict(list)
        self._unwritten: deque[dict[str, Any]] = deque()
        self._checkpoint = newest_complete(run.checkpoints)
        self._steps: set[int] = set()
        self._told_checkpoints: set[object] = set()
        self.is_ready = False

    def catch_up(self) -> None:
        """Bring in what earlier attempts wrote and their killed supervisors did not see."""
        for attempt in range(1, self._plan.attempt):
            for raw in read_objects(self._run.attempt_metrics(attempt)):
                row = flatten(raw, attempt)
                if row is not None and not self._metrics.covers(row):
                    self._metrics.add(row)
        sweep_leftovers(self._run.checkpoints)
        self._take_events()
        self.is_ready = False  # whatever was ready then

    def poll(self) -> None:
        """Bring in what is new."""
        self._take_events()
        # All of them before one is told of: the file's reader has moved on, and telling may raise.
        for row in parse_trials(self._trials.read()):
            self._rows[row.step].append(row)
            if self._first_trial is None and self._is_own(row):
                self._first_trial = row
        if self._first_trial is not None and not self._has_trial:
            self._tell_of_trial(self._first_trial)
        rows = (flatten(raw, self._plan.attempt) for raw in self._verl.read())
        self._unwritten.extend(row for row in rows if row is not None)
        while self._unwritten:
            self._add_step(self._unwritten[0])
            self._unwritten.popleft()
        self._see_checkpoint()

    def _take_events(self) -> None:
        for event in each_posted(self._run):
            self.is_ready |= event.kind == "ready"
            step = event.fields.get("step")
            # Both the trainer's callback and the checkpoint folder tell of a checkpoint; one event is enough.
            if event.kind == "checkpoint" and step in self._told_checkpoints:
                continue
            ingest_event(self._run, event)
            self._on_event(event)
            if event.kind == "checkpoint":
                self._told_checkpoints.add(step)

    def _is_own(self, row: TrialRow) -> bool:
        """Whether the trial ended in this attempt."""
        return to_seconds(row.time) >= self._started_s

    def _tell_of_trial(self, row: TrialRow) -> None:
        message = f"the first trial has ended: {row.task}, {row.outcome}"
        number = self._plan.attempt
        self._on_event(
            append_event(self._run, "boot", attempt=number, stage="first_trial", done=True, message=message)
        )
        self._has_trial = True

    def _add_step(self, row: dict[str, Any]) -> None:
        step = row["step"]
        own = [item for item in self._rows[step] if self._is_own(item)]
        merged = self._metrics.add(row | trial_metrics(own))
        self.is_ready = True
        if step in self._steps:
            return
        self._on_event(append_event(self._run, "step", attempt=self._plan.attempt, **_summary(merged)))
        self._steps.add(step)
        self._prune_tokens(step)

    def _see_checkpoint(self) -> None:
        newest = newest_complete(self._run.checkpoints)
        if newest is None or newest == self._checkpoint:
            return
        folder = self._run.checkpoints / f"global_step_{newest}"
        if newest not in self._told_checkpoints:
            where = str(folder.relative_to(self._run.root))
            append_event(self._run, "checkpoint", step=newest, path=where, size_bytes=size_bytes(folder))
            self._told_checkpoints.add(newest)
        rewards = self._metrics.values(_VALIDATION)
        for removal in prune_checkpoints(self._run.checkpoints, self._plan.keep_checkpoints, rewards):
            append_event(self._run, "removed", **asdict(removal))
        self._checkpoint = newest

    def _prune_tokens(self, step: int) -> None:
        keeps_all = self._plan.keep_tokens_steps <= 0
        horizon = step - (_ROWS_HELD_STEPS if keeps_all else self._plan.keep_tokens_steps)
        for old in sorted(key for key in self._rows if key <= horizon):
            rows = self._rows.pop(old)
            removal = None if keeps_all else prune_tokens(self._run, rows, old)
            if removal is not None:
                append_event(self._run, "removed", **asdict(removal))


def _summary(row: dict[str, Any]) -> dict[str, Any]:
    reward = row.get(_REWARD, row.get("critic/score/mean"))
    summary = {
        "step": row["step"],
        "reward": reward,
        "validation": row.get(_VALIDATION),
        "validation_trials": row.get("trial/val/scored"),
        "seconds": row.get("timing_s/step"),
        "trials": row.get("trial/count"),
    }
    return {key: value for key, value in summary.items() if value is not None}
