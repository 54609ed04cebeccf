"""Where each second of a run's steps goes: `python -m bench.seconds RUN_DIR`.

A synchronous step is its trials, then the trainer's phases one after the other. So what was at work during a step is
the union of its trials' spans, plus the seconds of the trainer's updates; the rest of the step's wall time, which
verl measures, is time in which nothing of the kind was running.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.result import Measure, Result, Table, save
from bench.spans import Span, bounds, exclusive, length, union_length
from liverl.errors import LiveRLError, RunError
from liverl.operate.validation import current_rows
from liverl.record.clock import to_seconds
from liverl.record.events import read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import Row, read_metrics
from liverl.record.runfile import read_run
from liverl.record.trials import TrialRow, read_trials

# An instant of several kinds is told as the first of them.
TRIAL_KINDS = ("generation", "command", "verifier", "sandbox")
UPDATES = ("old_log_prob", "ref", "values", "update_critic", "update_actor", "update_weights")
OTHERS = ("adv", "save_checkpoint")
IDLE_BAR = 0.2
# verl's clock and the trials' are two.
TOLERANCE_S = 0.5


@dataclass(frozen=True)
class Step:
    """One step's seconds.

    `exclusive` of the trials' kinds, `updates` and `idle` add up to `wall_s`; `union` and `summed` are by kind, each
    for itself. `idle` has the trainer's phases that are no update by name, `between spans` (the trials were under way,
    yet none of their spans) and `rest`.
    """

    step: int
    wall_s: float
    exclusive: Mapping[str, float]
    union: Mapping[str, float]
    summed: Mapping[str, float]
    updates: Mapping[str, float]
    idle: Mapping[str, float]
    validation_s: float = 0.0
    validation_idle_s: float = 0.0

    @property
    def idle_s(self) -> float:
        """Seconds in which nothing was at work."""
        return sum(self.idle.values())


@dataclass(frozen=True)
class Account:
    """A whole run: its steps, and what lies outside them.

    `startup_s` is from the launch to the first trial, `between_s` from the end of a step (or its validation) to the
    start of the next, all steps together, `retried` the trials whose earlier tries left no spans.
    """

    steps: Sequence[Step]
    startup_s: float
    between_s: float
    retried: int

    @property
    def wall_s(self) -> float:
        """All steps together."""
        return sum(step.wall_s for step in self.steps)

    @property
    def idle_share(self) -> float:
        """Share of the steps' wall time in which nothing was at work."""
        return sum(step.idle_s for step in self.steps) / self.wall_s

    def total(self, part: str) -> dict[str, float]:
        """One of a step's mappings, added up over all steps."""
        sums: dict[str, float] = defaultdict(float)
        for step in self.steps:
            for kind, seconds in getattr(step, part).items():
                sums[kind] += seconds
        return dict(sums)


def account(run: RunDir) -> Account:
    """The account of a run's last attempts; raises `RunError` when its steps were not timed, or overlap."""
    record = read_run(run)
    rows = current_rows(read_trials(run), [to_seconds(attempt.started) for attempt in record.attempts])
    metrics = read_metrics(run)
    by_step: dict[tuple[str, int], list[TrialRow]] = defaultdict(list)
    for trial in rows:
        by_step[trial.split, trial.step].append(trial)
    timed: list[Row] = [row for row in metrics if "timing_s/step" in row]
    if not timed:
        raise RunError(
            "bench.no_timing", f"No step of {run.name} was timed.", evidence=str(run.metrics_jsonl)
        )
    steps = []
    for timing in timed:
        step = account_step(timing, by_step["train", timing["step"]])
        steps.append(_with_validation(step, timing, by_step["val", timing["step"]]))
    return Account(steps, _startup_s(run, rows), _between_s(metrics), sum(row.tries > 1 for row in rows))


def account_step(timing: Row, trials: Iterable[TrialRow]) -> Step:
    """One synchronous step, from verl's timers and the spans of its trials."""
    spans = _by_kind(trials)
    every = [span for kind in spans.values() for span in kind]
    wall_s = float(timing["timing_s/step"])
    updates = {name: _timer(timing, name) for name in UPDATES if _timer(timing, name)}
    idle = {name: _timer(timing, name) for name in OTHERS if _timer(timing, name)}
    busy_s = union_length(every) + sum(updates.values())
    if busy_s + sum(idle.values()) > wall_s + TOLERANCE_S:
        raise RunError(
            "bench.overlap",
            f"The phases of step {timing['step']} overlap, so their seconds can't be added up.",
            evidence=f"{busy_s:.1f} s of work in a step of {wall_s:.1f} s",
            next_action="account for synchronous runs only",
        )
    whole = bounds(every)
    between_s = (whole[1] - whole[0] - union_length(every)) if whole else 0.0
    idle["between spans"] = between_s
    idle["rest"] = wall_s - busy_s - sum(idle.values())
    return Step(
        step=timing["step"],
        wall_s=wall_s,
        exclusive=exclusive(spans),
        union={kind: union_length(found) for kind, found in spans.items()},
        summed={kind: length(found) for kind, found in spans.items()},
        updates=updates,
        idle=idle,
    )


def _with_validation(step: Step, timing: Row, trials: Sequence[TrialRow]) -> Step:
    wall_s = _timer(timing, "testing")
    if not wall_s:
        return step
    busy_s = union_length(span for kind in _by_kind(trials).values() for span in kind)
    return replace(step, validation_s=wall_s, validation_idle_s=wall_s - busy_s)


def _by_kind(trials: Iterable[TrialRow]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {kind: [] for kind in TRIAL_KINDS}
    for trial in trials:
        for kind, start, end in trial.spans:
            spans[kind].append((start, end))
    return spans


def _timer(timing: Mapping[str, Any], name: str) -> float:
    return float(timing.get(f"timing_s/{name}") or 0.0)


def _startup_s(run: RunDir, rows: Sequence[TrialRow]) -> float:
    started = next((to_seconds(event.time) for event in read_events(run) if event.kind == "started"), 0.0)
    whole = bounds((start, end) for row in rows for _, start, end in row.spans)
    return whole[0] - started if whole and started else 0.0


def _between_s(metrics: Sequence[Row]) -> float:
    """From the first row to the last, less the steps and validations of all but the first."""
    if len(metrics) < 2 or len({row["attempt"] for row in metrics}) > 1:
        return 0.0
    took_s = to_seconds(metrics[-1]["time"]) - to_seconds(metrics[0]["time"])
    return took_s - sum(_timer(row, "step") + _timer(row, "testing") for row in metrics[1:])


def kinds_table(found: Account) -> Table:
    """Where the seconds of all steps went: rows that add up to the steps' wall time."""
    union, summed = found.total("union"), found.total("summed")
    rows: list[list[Any]] = []

    def add(name: str, seconds: float, alone: float | None = None, together: float | None = None) -> None:
        at_once = f"{together / alone:.1f}" if alone and together else None
        share = f"{seconds / found.wall_s:.1%}"
        rows.append(
            [name, f"{seconds:.1f}", share, _s(alone), _s(together), at_once],
        )

    for kind, seconds in found.total("exclusive").items():
        add(kind, seconds, union[kind], summed[kind])
    for name, seconds in found.total("updates").items():
        add(f"update: {name}", seconds)
    for name, seconds in found.total("idle").items():
        add(f"idle: {name}", seconds)
    add("all steps", found.wall_s)
    columns = ("what", "s", "share", "s of its own", "s of all trials", "at once")
    return Table("Where each second of the steps goes", columns, rows)


def steps_table(found: Account) -> Table:
    """One row a step."""
    columns = ("step", "wall s", *TRIAL_KINDS, "updates", "idle s", "idle", "validation s", "of it idle s")
    rows = [
        [
            step.step,
            f"{step.wall_s:.1f}",
            *(f"{step.exclusive[kind]:.1f}" for kind in TRIAL_KINDS),
            f"{sum(step.updates.values()):.1f}",
            f"{step.idle_s:.1f}",
            f"{step.idle_s / step.wall_s:.0%}",
            _s(step.validation_s or None),
            _s(step.validation_idle_s if step.validation_s else None),
        ]
        for step in found.steps
    ]
    return Table("Each step", columns, rows)


def _s(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.1f}"


def result(found: Account, name: str) -> Result:
    """The account as a file of bench/results/."""
    count = len(found.steps)
    validation_s = sum(step.validation_s for step in found.steps)
    validation_idle_s = sum(step.validation_idle_s for step in found.steps)
    measures = [
        Measure(
            "idle_share", "step time with nothing at work", found.idle_share, "share", "lower", IDLE_BAR, 0.01
        ),
        Measure("step_s", "a step", found.wall_s / count, "s", "lower", noise=0.2),
        Measure(
            "generation_s",
            "generation in a step, at least one trial's",
            found.total("union")["generation"] / count,
            "s",
            "lower",
            noise=0.2,
        ),
        Measure(
            "update_s",
            "updates in a step",
            sum(found.total("updates").values()) / count,
            "s",
            "lower",
            noise=0.2,
        ),
        Measure("startup_s", "launch to first trial", found.startup_s, "s", "lower", noise=2.0),
        Measure("validation_s", "validations after steps, together", validation_s, "s", "lower", noise=2.0),
        Measure(
            "validation_idle_s",
            "of that with nothing at work",
            validation_idle_s,
            "s",
            "lower",
            noise=2.0,
        ),
        Measure("between_s", "between steps, together", found.between_s, "s", "lower", noise=1.0),
    ]
    note = (
        "A second in which several kinds ran counts for the first of generation, command, verifier, sandbox; "
        "`s of its own` is the union of that kind's intervals, `s of all trials` their sum, `at once` their ratio. "
        f"Earlier tries of retried trials leave no spans ({found.retried} trials)."
    )
    tables = [kinds_table(found), steps_table(found)]
    return Result("seconds", "Where the seconds go", measures, tables, note, details={"run": name})


def main() -> int:
    """Print the account; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.seconds", description=__doc__)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--save", action="store_true", help="write bench/results/seconds.json")
    arguments = parser.parse_args()
    try:
        run = RunDir(arguments.run_dir.resolve())
        made = result(account(run), run.name)
    except LiveRLError as error:
        print(error, file=sys.stderr)
        return 1
    from bench.table import plain

    print(plain(made))
    if arguments.save:
        print(f"written: {save(made)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
