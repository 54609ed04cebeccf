"""What the validations of a run say, from its trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from liverl.record.clock import to_seconds
from liverl.record.trials import TrialRow


@dataclass(frozen=True)
class Measured:
    """One complete validation: its step, mean reward, and how many trials it had."""

    step: int
    reward: float
    trials: int


@dataclass(frozen=True)
class Validation:
    """The first and the last complete validation's mean reward, and the trials that each had."""

    first: float | None = None
    last: float | None = None
    trials: int = 0
    first_step: int | None = None
    last_step: int | None = None
    best: float | None = None
    best_step: int | None = None


def current_rows(rows: Iterable[TrialRow], attempt_starts_s: Sequence[float]) -> list[TrialRow]:
    """The rows that stand: of a step that several attempts made, those of the latest one.

    A step is counted by split, since an attempt may validate a step again that it did not train.
    """
    by_step: dict[tuple[str, int], dict[int, list[TrialRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        ended = to_seconds(row.time)
        attempt = sum(1 for start in attempt_starts_s if start <= ended)
        by_step[row.split, row.step][attempt].append(row)
    return [row for attempts in by_step.values() for row in attempts[max(attempts)]]


def measured(rows: Iterable[TrialRow], expected: int, logged_steps: Collection[int]) -> list[Measured]:
    """The complete validations by step: all expected trials ended, or the trainer has logged the step.

    A trial without a reward failed for a reason that is not the agent's and does not count.
    """
    by_step: dict[int, list[TrialRow]] = defaultdict(list)
    for row in rows:
        if row.split == "val":
            by_step[row.step].append(row)
    found = []
    for step, trials in sorted(by_step.items()):
        rewards = [row.reward for row in trials if row.reward is not None]
        is_complete = (0 < expected <= len(trials)) or step in logged_steps
        if is_complete and rewards:
            found.append(Measured(step, fmean(rewards), len(rewards)))
    return found


def summarise(validations: Sequence[Measured]) -> Validation:
    """First, last and best of the validations, which are ordered by step."""
    if not validations:
        return Validation()
    first, last = validations[0], validations[-1]
    best = max(validations, key=lambda item: (item.reward, item.step))
    return Validation(first.reward, last.reward, last.trials, first.step, last.step, best.reward, best.step)
