"""A few rows of a run, as people keep them: whether they tell a trend at all.

is_jumpy   whether the reward of a few rows goes up and down between them
"""

from __future__ import annotations

import numpy as np

from liverl.diagnose.functions import trend
from liverl.log.series import Series

_FEWEST, _MOST = 6, 12
_REWARD = "critic/score/mean"
# Of rows that are drawn at random two in three turn round, and half of the steps are a third of the range or more. What
# rises or breaks down has its rank correlation with time instead, however its rows differ.
_TURNS, _STEP, _TREND = 0.5, 0.3, 0.6
# A reward that hardly moves is one that stands still, whatever its last digit does.
_STILL = 0.1


def is_jumpy(series: Series) -> bool:
    """Whether the reward of 6 to 12 rows is that of batches too small to compare one row with another: at least half of
    its rows are turning points, the median step between two is at least 0.3 of the range, and there is no trend."""
    told = series.columns.get(_REWARD)
    if told is None:
        return False
    values = told[np.isfinite(told)]
    if not _FEWEST <= len(values) <= _MOST:
        return False
    steps = np.diff(values)
    turns = np.mean(steps[1:] * steps[:-1] < 0)
    is_still = np.ptp(values) <= _STILL * np.max(np.abs(values))
    if is_still or turns < _TURNS or np.median(np.abs(steps)) < _STEP * np.ptp(values):
        return False
    return bool(abs(trend(values, len(values))[-1]) < _TREND)
