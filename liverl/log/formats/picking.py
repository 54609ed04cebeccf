"""From rows as they were told to blocks of numbers.

getter   picks some values of a row
block    picked values of many rows as an array
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liverl.log.formats.values import BEYOND, number

# Of the rows with a value that is none.
_LOOKED_AT = 64


def getter(keys: list[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """What picks the values of some keys out of a row that has them all."""
    if not keys:
        return lambda row: ()
    if len(keys) == 1:
        only = keys[0]
        return lambda row: (row[only],)
    return itemgetter(*keys)


def block(rows: list[tuple[Any, ...]], width: int) -> NDArray[np.float64]:
    """Rows of equal length as numbers: NaN for what is none, `BEYOND` for what is beyond all floats."""
    try:
        told = np.array(rows, np.float64).reshape(len(rows), width)
    except (ValueError, TypeError, OverflowError):
        return _by_value(rows, width)
    return _by_value(rows, width) if _holds_words(rows, told) else told


def _by_value(rows: list[tuple[Any, ...]], width: int) -> NDArray[np.float64]:
    return np.array([[_number(value) for value in row] for row in rows], np.float64).reshape(len(rows), width)


def _holds_words(rows: list[tuple[Any, ...]], told: NDArray[np.float64]) -> bool:
    """Whether rows tell a `"NaN"` as text, which numpy takes for a value that nobody measured."""
    blank = np.flatnonzero(np.isnan(told).any(axis=1))[:_LOOKED_AT] if told.size else ()
    return any(isinstance(value, str) for at in blank for value in rows[at])


def _number(value: Any) -> float:
    """A value that numpy would not take: a word, a list, an integer beyond all floats."""
    if isinstance(value, str):
        found = number(value)
        return np.nan if found is None else found
    try:
        return np.nan if value is None else float(value)
    except OverflowError:
        return BEYOND
    except (TypeError, ValueError):
        return np.nan
