"""Means of rewards with their 95 % intervals.

wilson      over trials, as if all were independent: Wilson, JASA 22 (1927), 209-212
bootstrap   over tasks: a task's trials are alike, so whole tasks are drawn, each with all its trials
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Z_95 = 1.959963984540054
DRAWS = 10_000
Draw = NDArray[np.int64]
Numbers = NDArray[np.float64]
Rewards = Mapping[str, Sequence[float]]
"""The rewards of each task's trials."""


@dataclass(frozen=True)
class Interval:
    """A 95 % interval."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.2f} to {self.high:.2f}"


@dataclass(frozen=True)
class Estimate:
    """The mean reward of `trials` trials of `tasks` tasks, with both intervals."""

    mean: float
    trials: int
    tasks: int
    over_trials: Interval
    over_tasks: Interval


def estimate(rewards: Rewards) -> Estimate:
    """Mean reward over all trials; raises `ValueError` when there is none."""
    every = [reward for trials in rewards.values() for reward in trials]
    if not every:
        raise ValueError("no scored trial")
    mean = sum(every) / len(every)
    return Estimate(mean, len(every), len(rewards), wilson(mean, len(every)), bootstrap(rewards))


def wilson(share: float, count: int) -> Interval:
    """The score interval of a share seen in `count` trials."""
    square = Z_95**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = Z_95 * sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def bootstrap(rewards: Rewards, seed: int = 0) -> Interval:
    """The percentile interval of the mean over trials when tasks are drawn anew."""
    sums, counts = _sums(rewards, sorted(rewards))
    return _percentiles(lambda draw: sums[draw].sum(1) / counts[draw].sum(1), len(sums), seed)


def bootstrap_rise(before: Rewards, after: Rewards, seed: int = 0) -> Interval:
    """The percentile interval of the mean's rise when the tasks, measured both times, are drawn anew."""
    tasks = sorted(before.keys() & after.keys())
    sums, counts = _sums(before, tasks)
    later_sums, later_counts = _sums(after, tasks)

    def rise(draw: Draw) -> Numbers:
        return np.asarray(
            later_sums[draw].sum(1) / later_counts[draw].sum(1) - sums[draw].sum(1) / counts[draw].sum(1)
        )

    return _percentiles(rise, len(tasks), seed)


def are_apart(before: Interval, after: Interval) -> bool:
    """Whether the second lies above the first, without a common point."""
    return after.low > before.high


def _sums(rewards: Rewards, tasks: Sequence[str]) -> tuple[Numbers, Numbers]:
    scored = [rewards[task] for task in tasks if rewards[task]]
    return np.array([sum(trials) for trials in scored]), np.array([len(trials) for trials in scored])


def _percentiles(statistic: Callable[[Draw], Numbers], tasks: int, seed: int) -> Interval:
    draw = np.random.default_rng(seed).integers(0, tasks, size=(DRAWS, tasks))
    low, high = np.percentile(statistic(draw), (2.5, 97.5))
    return Interval(float(low), float(high))
