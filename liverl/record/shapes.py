"""Values of plain JSON that somebody else may have written, as the types they should have; `TypeError` where not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

_DEPTH = 100


def decode(content: bytes) -> dict[str, Any]:
    """One JSON object; NaN and the infinities become null; raises `ValueError` or `TypeError` when it isn't one."""
    try:
        found = json.loads(content, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    # Who has read it will want to write it, and that goes less deep than reading.
    if content.count(b"[") + content.count(b"{") > _DEPTH and _is_deeper(found, _DEPTH):
        raise ValueError("nested too deeply")
    return mapping(found)


def _is_deeper(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            return False
    return True


def _inner(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def text(value: object) -> str:
    """A text that can be written and printed again."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is no text")
    # JSON can spell half a character, which no file can hold.
    return value if value.isascii() else value.encode(errors="replace").decode()


def whole(value: object) -> int:
    """A whole number of at most 64 bits."""
    if type(value) is not int or abs(value) >= 2**63:
        raise TypeError(f"{value!r:.60} is no whole number" if not isinstance(value, int) else "out of range")
    return value


def real(value: object) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) >= 2.0**1000:
        raise TypeError("no number")
    if not math.isfinite(value):
        raise TypeError("not finite")
    return float(value)


def number(value: object) -> float | None:
    """A value as a finite number; None when it isn't one."""
    try:
        return real(value)
    except TypeError:
        return None


def truth(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError(f"{value!r:.60} is neither true nor false")
    return value


def mapping(value: object) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value


def listed(value: object) -> list[Any]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise TypeError("no list")
    return list(value)


def optional[T](read: Callable[[object], T]) -> Callable[[object], T | None]:
    """The same, or null."""
    return lambda value: None if value is None else read(value)


def list_of[T](read: Callable[[object], T]) -> Callable[[object], list[T]]:
    """A list of those."""
    return lambda value: [read(item) for item in listed(value)]


def dict_of[T](read: Callable[[object], T]) -> Callable[[object], dict[str, T]]:
    """An object whose values are those."""
    return lambda value: {text(key): read(item) for key, item in mapping(value).items()}
