"""One number as programs print it."""

from __future__ import annotations

import math
import re

# What stands for a measured value that is not finite while it is on its way into a column; no metric is that large.
BEYOND = 1.7e308
NUMBER = r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_WRAPPED = re.compile(r"(?:np|numpy|torch|jnp)?\.?\w+\((.*?)(?:, ?(?:device|dtype)=[^)]*)?\)$")
_WORDS = {"true": 1.0, "false": 0.0, "nan": BEYOND, "inf": BEYOND, "-inf": BEYOND, "+inf": BEYOND, "-nan": BEYOND,
          "infinity": BEYOND, "-infinity": BEYOND}  # fmt: skip
_WITH_UNIT = re.compile(rf"({NUMBER}) ?(?:s|ms|sec|%|[a-zA-Z]+/[a-zA-Z]+|tokens?|GB|GiB)?$")


def number(text: str) -> float | None:
    """A number, whatever stands around it (np.float64(..), tensor(..), quotes, a unit); None where it is none.

    nan and inf are `BEYOND`: measured, and not finite. A percentage stays what is printed.
    """
    text = text.strip().strip("'\"")
    try:
        return told(float(text))
    except ValueError:
        pass
    if (word := _WORDS.get(text.lower())) is not None:
        return word
    if text.endswith(")") and (wrapped := _WRAPPED.match(text)) and wrapped.group(1) != text:
        return number(wrapped.group(1))
    if found := _WITH_UNIT.match(text.replace(",", "") if "," in text else text):
        return told(float(found.group(1)))
    return None


def told(value: float) -> float:
    """A measured value as it goes into a column."""
    return value if math.isfinite(value) else BEYOND


def whole(value: object) -> int | None:
    """A step's number; None where a value is none."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 2**53 and value == int(value) else None
