"""What the validations of a run say, from the step events that carry one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from liverl.record.clock import to_seconds
from liverl.record.trials import TrialRow


@dataclass(frozen=True)
class Measured:
    """One complete validation: its step, mean reward, how many trials that is the mean of, and of which attempt.

    A trial without a reward failed for a reason that is not the agent's and does not count; 0 trials are unknown.
    """

    step: int
    reward: float
    trials: int = 0
    attempt: int = 0


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


class Validations:
    """The validations that stand: of a step that several attempts validated, that of the latest one."""

    def __init__(self) -> None:
        self._by_step: dict[int, Measured] = {}
        self._telling: tuple[Measured, Measured, Measured] | None = None

    def add(self, found: Measured) -> None:
        """Take one; of one step and attempt the one that was added last stands, with the trials that are known."""
        known = self._by_step.get(found.step)
        if known is not None and found.attempt < known.attempt:
            return
        if known is not None and found.attempt == known.attempt:
            found = replace(found, trials=found.trials or known.trials)
        if found != known:
            self._by_step[found.step] = found
            self._telling = None

    def summary(self, expected: int) -> Validation:
        """First, last and best; `expected` is how many trials a full one has, said where nothing else is known."""
        if not self._by_step:
            return Validation()
        first, last, best = self._telling = self._telling or _telling(self._by_step)
        trials = last.trials or expected
        return Validation(first.reward, last.reward, trials, first.step, last.step, best.reward, best.step)


def _telling(by_step: Mapping[int, Measured]) -> tuple[Measured, Measured, Measured]:
    """First, last and best; of equally good ones the later."""
    best = max(by_step.values(), key=lambda item: (item.reward, item.step))
    return by_step[min(by_step)], by_step[max(by_step)], best


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
