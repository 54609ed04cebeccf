"""One number as programs print it."""

from __future__ import annotations

import math
import re

# What stands for a measured value that is not finite while it is on its way into a column; no metric is that large.
BEYOND = 1.7e308
NUMBER = r"[-+]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
# NAN is what `{:.2E}` makes of it, .nan what YAML has.
NOT_FINITE = r"[-+]?\.?(?i:nan|inf(?:inity)?)(?![\w/])"
_WRAPPED = re.compile(
    r"(?:np|numpy|torch|jnp)?\.?\w+\((.*?)(?:, ?(?:device|dtype|grad_fn|requires_grad|weak_type)=[^)]*)?\)$"
)
# A value as its library prints it within a line.
_WRAPPED_WITHIN = re.compile(
    r"\b(?:(?:np|numpy|torch|jnp|jax)\.)?(?:tensor|float\d+|u?int\d+|[aA]rray|DeviceArray)"
    r"\(\[?\s{0,3}([^()\[\],\s]{1,40})\s{0,3}\]?(?:,[^()]{0,120})?\)"
)
_WORDS = {"true": 1.0, "false": 0.0, "nan": BEYOND, "inf": BEYOND, "-inf": BEYOND, "+inf": BEYOND, "-nan": BEYOND,
          "infinity": BEYOND, "-infinity": BEYOND, "+nan": BEYOND,
          ".nan": BEYOND, ".inf": BEYOND, "-.inf": BEYOND}  # fmt: skip
# 1,234.5 and, as half of the world writes 0.31, 0,31.
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?!\d)")
_COMMA = re.compile(r"([-+]?\d+),(\d+(?:[eE][-+]?\d+)?)(?![\d.,])")
_THOUSANDS = {"K": 1e3, "M": 1e6, "B": 1e9}
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
    if text[-1:] in _THOUSANDS and (many := number(text[:-1])) is not None:
        return told(many * _THOUSANDS[text[-1]])
    if text.endswith(")") and (wrapped := _WRAPPED.match(text)) and wrapped.group(1) != text:
        return number(wrapped.group(1))
    if found := _WITH_UNIT.match(_pointed(text) if "," in text else text):
        return told(float(found.group(1)))
    return None


def bared(text: str) -> str:
    """A text whose values stand without what libraries print around one: tensor(0.3, device='cuda:0') is 0.3."""
    return _WRAPPED_WITHIN.sub(r"\1", text) if "(" in text else text


def with_comma(text: str) -> float | None:
    """A number of a table that writes a comma where others write a point (`0,31`, `1.234,5`); None where it is none."""
    if "," not in text:
        return number(text)
    whole_part, _, rest = text.strip().strip("'\"").rpartition(",")
    return number(f"{whole_part.replace('.', '')}.{rest}")


def _pointed(text: str) -> str:
    """A number without the commas between its thousands; a decimal comma is a point."""
    return text.replace(",", "") if _GROUPED.match(text) else _COMMA.sub(r"\1.\2", text, count=1)


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
