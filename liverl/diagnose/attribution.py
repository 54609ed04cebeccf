"""What a change of the reward is made of: the policy, the tasks that were drawn, trials lost to somebody else's fault.

Attribution   two windows of steps, and the change between them split
attribute     made of a run's training trials

With windows A and B, tasks t, shares w of the scored trials and mean rewards r by task, the mean reward over all
trials that were begun (a lost one counts 0, as a reader of a plain curve would see it) is c * sum(w_t * r_t), c the
share that was scored. Its change is split by the midpoint rule, which leaves no remainder; a prime is the mean of both
windows: policy = c' * sum(w'_t * (rB_t - rA_t)) over tasks of both windows, tasks = c' * (the rest of the change of the
weighted sum), lost = (cB - cA) * (the weighted sum)', and of it the part of each who lost trials by their shares.
A filter comes after all that: what it does to the curve that is trained on is the change of how far that curve
(critic/score/mean) lies above the mean of all scored trials (trial/reward/mean).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from liverl.log.series import Series
from liverl.record.trials import TrialRow

_WINDOW = 10
# Fewer scored trials say nothing of a mean of zeros and ones.
_LEAST = 16
_INFRASTRUCTURE = "infrastructure"
_TRAINED, _SCORED = "critic/score/mean", "trial/reward/mean"


@dataclass(frozen=True)
class Attribution:
    """`first` and `last` are the windows' steps; `reward` over all trials begun in each; `policy`, `tasks` and `lost`
    add up to its change, `lost_by` to `lost`; `blame` are the shares of trials lost in the last window by whose fault;
    `right`, `wrong` and `mixed` are the shares of its groups that were all right, all wrong, or had a signal;
    `filtered` is by how much leaving groups out has lifted the curve that is trained on (None: not measured)."""

    first: tuple[int, int]
    last: tuple[int, int]
    reward: tuple[float, float]
    policy: float
    tasks: float
    lost: float
    lost_by: dict[str, float]
    blame: dict[str, float]
    right: float
    wrong: float
    mixed: float
    filtered: float | None = None

    @property
    def line(self) -> str:
        """All in one line."""
        before, after = self.reward
        by = [f"{who} {part:+.2f}" for who, part in self.lost_by.items() if abs(part) >= 0.005]
        lost_by = f" ({', '.join(by)})" if by else ""
        split = (
            f"policy {self.policy:+.2f}, tasks drawn {self.tasks:+.2f}, lost trials {self.lost:+.2f}{lost_by}"
        )
        groups = (
            f"groups all right {self.right:.0%}, all wrong {self.wrong:.0%}, with a signal {self.mixed:.0%}"
        )
        lost = "".join(f", {share:.0%} lost by the {who}" for who, share in self.blame.items())
        if self.filtered is not None and abs(self.filtered) >= 0.005:
            split += f"; beside it the filter lifts the trained-on curve by {self.filtered:+.2f}"
        steps = f"steps {self.first[0]}-{self.first[1]} to {self.last[0]}-{self.last[1]}"
        return f"reward {before:.2f} -> {after:.2f} ({steps}): {split}; {groups}{lost}"

    def as_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "steps": [list(self.first), list(self.last)],
            "reward": [round(value, 4) for value in self.reward],
            "policy": round(self.policy, 4),
            "tasks": round(self.tasks, 4),
            "lost": round(self.lost, 4),
            "lost_by": {who: round(part, 4) for who, part in self.lost_by.items()},
            "blame": {who: round(share, 4) for who, share in self.blame.items()},
            **({} if self.filtered is None else {"filtered": round(self.filtered, 4)}),
            "groups": {name: round(getattr(self, name), 4) for name in ("right", "wrong", "mixed")},
        }


def attribute(
    rows: Sequence[TrialRow], series: Series | None = None, window: int = _WINDOW
) -> Attribution | None:
    """Split the change between the first and the last steps of the training trials; None where they are too few."""
    trained = [row for row in rows if row.split == "train"]
    steps = sorted({row.step for row in trained})
    size = min(window, len(steps) // 2)
    if size < 1:
        return None
    early, late = steps[:size], steps[-size:]
    before = _Window([row for row in trained if row.step <= early[-1]])
    after = _Window([row for row in trained if row.step >= late[0]])
    if min(before.scored, after.scored) < _LEAST:
        return None
    policy, tasks, lost = _split(before, after)
    right, wrong, mixed = _groups(after.rows)
    return Attribution(
        (early[0], early[-1]),
        (late[0], late[-1]),
        (before.reward, after.reward),
        policy,
        tasks,
        lost,
        _lost_by(before, after),
        after.blame(),
        right,
        wrong,
        mixed,
        None if series is None else _filtered(series, (early[0], early[-1]), (late[0], late[-1])),
    )


def _filtered(series: Series, first: tuple[int, int], last: tuple[int, int]) -> float | None:
    trained, scored = series.columns.get(_TRAINED), series.columns.get(_SCORED)
    if trained is None or scored is None:
        return None
    gaps = []
    for low, high in (first, last):
        gap = (trained - scored)[(series.steps >= low) & (series.steps <= high)]
        gap = gap[np.isfinite(gap)]
        if not len(gap):
            return None
        gaps.append(float(gap.mean()))
    return gaps[1] - gaps[0]


class _Window:
    """The trials of some steps: which were scored, and by task how well."""

    def __init__(self, rows: Sequence[TrialRow]) -> None:
        self.rows = rows
        by_task: defaultdict[str, list[float]] = defaultdict(list)
        for row in rows:
            if row.reward is not None and row.outcome != _INFRASTRUCTURE:
                by_task[row.task].append(row.reward)
        self.scored = sum(map(len, by_task.values()))
        self.coverage = self.scored / len(rows) if rows else 0.0
        self.share = {task: len(rewards) / self.scored for task, rewards in by_task.items()}
        self.mean = {task: sum(rewards) / len(rewards) for task, rewards in by_task.items()}
        self.level = sum(self.share[task] * self.mean[task] for task in self.share)

    @property
    def reward(self) -> float:
        """The mean over all trials that were begun."""
        return self.coverage * self.level

    def blame(self) -> dict[str, float]:
        """The share of trials that each part lost, the largest first; all that has no score is somebody's."""
        lost = Counter(_who(row) for row in self.rows if row.reward is None or row.outcome == _INFRASTRUCTURE)
        return {who: count / len(self.rows) for who, count in lost.most_common()}


def _split(before: _Window, after: _Window) -> tuple[float, float, float]:
    coverage = (before.coverage + after.coverage) / 2
    both = before.share.keys() & after.share.keys()
    weight = {task: (before.share[task] + after.share[task]) / 2 for task in both}
    learned = sum(weight[task] * (after.mean[task] - before.mean[task]) for task in both)
    policy = coverage * learned
    tasks = coverage * (after.level - before.level - learned)
    lost = (after.coverage - before.coverage) * (before.level + after.level) / 2
    return policy, tasks, lost


def _lost_by(before: _Window, after: _Window) -> dict[str, float]:
    level = (before.level + after.level) / 2
    old, new = before.blame(), after.blame()
    return {who: (old.get(who, 0.0) - new.get(who, 0.0)) * level for who in {**new, **old}}


def _who(row: TrialRow) -> str:
    return row.blame or ("unknown" if row.outcome == _INFRASTRUCTURE else row.outcome)


def _groups(rows: Sequence[TrialRow]) -> tuple[float, float, float]:
    """The shares of groups that are all right, all wrong, and neither."""
    groups: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.reward is not None:
            groups[row.step, row.group].append(row.reward)
    if not groups:
        return 0.0, 0.0, 0.0
    right = sum(1 for rewards in groups.values() if min(rewards) >= 1.0)
    wrong = sum(1 for rewards in groups.values() if max(rewards) <= 0.0)
    count = len(groups)
    return right / count, wrong / count, (count - right - wrong) / count
