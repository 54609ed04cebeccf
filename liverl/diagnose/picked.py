"""A few rows of a run, as people keep them: whether they tell a trend at all.

is_jumpy   whether a few rows of a run are of batches too small to compare one row with another
jumps      whether a metric of a few rows goes up and down between them
"""

from __future__ import annotations

import numpy as np

from liverl.diagnose.rise import correlation
from liverl.log.series import Series, Values

_FEWEST, _MOST = 6, 18
_REWARD = "critic/score/mean"
# Of rows that are drawn at random two in three turn round, and half of the steps are a third of the range or more. What
# rises or breaks down has its rank correlation with time instead, however its rows differ.
_TURNS, _STEP = 0.5, 0.3
# Such means are of a few trials; with three different ones no reward that is always the same is meant.
_TRIALS, _DISTINCT = 8, 3
# A value that hardly moves is one that stands still, whatever its last digit does.
_STILL = 0.1
# Of eight random rows one in nine has a rank correlation of the first, one in fifty of the second, which is for what
# goes one way while the reward jumps.
_TREND, _GOES = 0.6, 0.8
# Or its last third is so many times its first third, whatever lies between: that is no chance of batches either.
_LEFT = 3.0
_OTHERS = ("actor/entropy", "response_length/mean", "response_length/clip_ratio", "actor/grad_norm")
# The distance from the reference grows in every run; beyond rldoctor's warning it is more than a beginning.
_KL, _FAR = "actor/kl_loss", 0.5


def is_jumpy(series: Series) -> bool:
    """Whether up to 18 rows are of batches too small to compare one row with another: each is the mean of a few trials
    that are right or wrong, or 6 rows and more go up and down in their reward, and nothing else goes one way."""
    if len(series) > _MOST or (told := series.columns.get(_REWARD)) is None:
        return False
    if _is_of_few_trials(told):
        return True
    if len(series) < _FEWEST:
        return False
    if not jumps(told, _TREND) or _ends_apart(told):
        return False
    others = [series.columns[name] for name in _OTHERS if name in series.columns]
    distance = series.columns.get(_KL)
    if distance is not None and np.nanmax(distance, initial=0.0) > _FAR:
        others.append(distance)
    return not any(map(_goes_one_way, others))


def jumps(told: Values, trend_from: float = _GOES) -> bool:
    """Whether a metric's 6 to 18 values are chance: at least half of them are turning points, the median step between
    two is at least 0.3 of the range, and the rank correlation with time is less than `trend_from`."""
    values = told[np.isfinite(told)]
    if not _FEWEST <= len(values) <= _MOST or _is_still(values):
        return False
    steps = np.diff(values)
    if np.mean(steps[1:] * steps[:-1] < 0) < _TURNS or np.median(np.abs(steps)) < _STEP * np.ptp(values):
        return False
    return abs(correlation(values)) < trend_from


def _is_of_few_trials(told: Values) -> bool:
    """Whether each value is a multiple of an eighth: the mean of larger batches is that in one row of a hundred."""
    values = told[np.isfinite(told)]
    eighths = values * _TRIALS
    is_whole = bool(np.all(np.abs(eighths - np.round(eighths)) < 1e-6))
    return is_whole and len(np.unique(values)) >= _DISTINCT and bool(np.max(np.abs(values)) <= 1)


def _ends_apart(told: Values) -> bool:
    """Whether the last two values are both beyond all before them: what breaks down at the end is no chance."""
    values = told[np.isfinite(told)]
    before, last = values[:-2], values[-2:]
    return bool(len(before)) and bool(np.all(last < before.min()) or np.all(last > before.max()))


def _goes_one_way(told: Values) -> bool:
    values = told[np.isfinite(told)]
    if len(values) < _FEWEST or _is_still(values):
        return False
    third = len(values) // 3
    sizes = np.abs(values)
    has_left = (
        sizes[-third:].min() > _LEFT * sizes[:third].max()
        or sizes[-third:].max() * _LEFT < sizes[:third].min()
    )
    return abs(correlation(values)) >= _GOES or bool(has_left)


def _is_still(values: Values) -> bool:
    return bool(np.ptp(values) <= _STILL * np.max(np.abs(values)))
