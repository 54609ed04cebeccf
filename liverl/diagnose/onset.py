"""When a curve left its habit: a condition that needs a window, or a limit far off, holds some steps after that.

onset     the row at which the change began that a condition tells
"""

from __future__ import annotations

import numpy as np

from liverl.log.series import Values

# The values before a change that say what the run was used to, and the fewest that do.
_HABIT = 20
_LEAST = 5
# No further back: what crept away over more steps than that began with no step in particular.
_FURTHEST = 20
# Of a few values, as people keep them, any but the first may be a change; by this factor.
_FEW, _FEWEST, _FACTOR = 12, 4, 4.0
# A single value within the old range does not end a change.
_BEYOND = 0.8


def onset(values: Values, row: int) -> int:
    """The first row from which on, until `row`, the values lie beyond the range of the 20 values before it, all on one
    side and by half of that range; `row` itself where there is no such row, or nothing before it to compare with.

    Of four to twelve values in all the first that is four times away from all before it, as are those after it."""
    at = np.flatnonzero(np.isfinite(values[: row + 1]))
    if not len(at) or at[-1] != row:
        return row
    known = values[at]
    if len(values) <= _FEW and (began := _first_far(known)) is not None:
        return int(at[began])
    for start in range(max(_LEAST, len(known) - _FURTHEST), len(known)):
        habit, since = known[max(0, start - _HABIT) : start], known[start:]
        low, high = float(habit.min()), float(habit.max())
        margin = (high - low) / 2
        for is_beyond in (since > high + margin, since < low - margin):
            if is_beyond[0] and is_beyond.mean() >= _BEYOND:
                return int(at[start])
    return row


def _first_far(known: Values) -> int | None:
    if len(known) < _FEWEST or not (known > 0).all():
        return None
    for start in range(1, len(known)):
        habit, since = known[:start], known[start:]
        if since.min() > _FACTOR * habit.max() or since.max() * _FACTOR < habit.min():
            return start
    return None
