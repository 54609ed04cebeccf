"""Whether a metric has come back from a change, or the change has become its new habit.

A condition that compares with what was usual before stops holding once the change itself is what is usual.
"""

from __future__ import annotations

import numpy as np

from liverl.log.series import Values

# So many values tell a habit: before a change, and behind it.
_HABIT_ROWS = 10


def has_stayed(values: Values, first: int, last: int) -> bool:
    """Whether the values behind the rows `first` to `last`, at which something held, are nearer to those of these rows
    than to those before; not where either side is unknown."""
    before = _finite(values[:first])[-_HABIT_ROWS:]
    during = _finite(values[first : last + 1])
    after = _finite(values[last + 1 :])[-_HABIT_ROWS:]
    if not (len(before) and len(during) and len(after)):
        return False
    was, became, ends = (float(np.median(each)) for each in (before, during, after))
    return abs(ends - became) < abs(ends - was)


def _finite(values: Values) -> Values:
    known: Values = values[np.isfinite(values)]
    return known
