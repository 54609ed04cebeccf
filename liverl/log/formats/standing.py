"""Which of the rows that were told stand: one a step, of the newest attempt that has one.

A run that resumes from a checkpoint tells steps again: the later attempt's rows stand, and what the earlier one told of
these and later steps is gone. Several rows of one step and attempt are one row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liverl.log.series import Integers, Values

# Fewer rows are never judged, so of a log that began anew the attempt before says more.
_JUDGED_ROWS = 10


@dataclass(frozen=True)
class Standing:
    """`last` is the newest row of each step; `order` and `groups` say which rows each step was told in."""

    last: Integers
    order: Integers | None
    groups: Integers

    def merged(self, values: Values) -> Values:
        """A column with one value a step: the newest of the step's rows that was measured."""
        if self.order is None:
            return values
        ordered = values[self.order]
        at = np.where(np.isnan(ordered), -1, np.arange(len(ordered)))
        newest = np.maximum.reduceat(at, self.groups) if len(self.groups) else at
        return np.where(newest < 0, np.nan, ordered[np.maximum(newest, 0)])


def standing(steps: Integers, attempts: Integers, keeps_longest: bool) -> Standing:
    """The rows that stand.

    With `keeps_longest` an attempt that began at the start and told fewer rows than can be judged does not replace
    one that told enough.
    """
    everything = np.arange(len(steps))
    if len(steps) < 2 or (bool((np.diff(steps) > 0).all()) and bool((np.diff(attempts) >= 0).all())):
        return Standing(everything, None, everything)
    first = _of(steps, attempts, everything)
    if not keeps_longest or len(first.last) >= _JUDGED_ROWS:
        return first
    for attempt in np.unique(attempts)[::-1][1:]:
        found = _of(steps, attempts, np.flatnonzero(attempts <= attempt))
        if len(found.last) >= _JUDGED_ROWS:
            return found
    return first


def _of(steps: Integers, attempts: Integers, rows: NDArray[np.int64]) -> Standing:
    order = rows[np.lexsort((rows, attempts[rows], steps[rows]))]
    by_step = _starts(steps[order])
    newest = np.maximum.reduceat(attempts[order], by_step)
    # A step that an older attempt told behind one of a newer attempt is not on the run's way any more.
    stands = newest >= np.maximum.accumulate(newest)
    lengths = np.diff(np.append(by_step, len(order)))
    keep = (attempts[order] == np.repeat(newest, lengths)) & np.repeat(stands, lengths)
    order = order[keep]
    groups = _starts(steps[order])
    ends = np.append(groups[1:], len(order)) - 1
    return Standing(order[ends], order, groups)


def _starts(ordered: Integers) -> Integers:
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
