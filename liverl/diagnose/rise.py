"""Whether a run was seen to learn.

has_risen   whether the reward of ten rows or more, or the margin of pairs, goes up with time, by more than chance
correlation the rank correlation of values with their place in time
"""

from __future__ import annotations

import numpy as np

from liverl.log.series import Series, Values

# What a training is for: the reward, and where none is told the margin between the answers of a pair.
_GAINS = ("critic/score/mean", "rewards/margins")
_FEWEST = 10
# Of rows in random order one in forty has a rank correlation with time of two standard errors (1 / sqrt(n - 1)); of a
# long noisy series less than the second would say little of what it learned.
_ERRORS, _LEAST = 2.0, 0.3


def has_risen(series: Series) -> bool:
    """Whether the reward (of pairs their margin) of ten rows or more goes up with time, by more than rows in random
    order would."""
    told = next((series.columns[name] for name in _GAINS if name in series.columns), None)
    if told is None:
        return False
    values = told[np.isfinite(told)]
    if len(values) < _FEWEST:
        return False
    return bool(correlation(values) >= max(_LEAST, _ERRORS / (len(values) - 1) ** 0.5))


def correlation(values: Values) -> float:
    """The rank correlation of finite values with time, equal ones at their mean rank, -1 to 1; 0 of those that are all
    the same."""
    ordered = np.sort(values)
    ranks = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1]) if np.ptp(values) else 0.0
