"""Texts cut so that an answer stays within its size, whatever a run holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_LIMITS = (4000, 2000, 1000, 600, 400, 250, 150, 90, 50)
_LIST_ENDS = (40, 20, 12, 8, 4, 2, 1)


def middle_cut(text: str, limit: int) -> str:
    """At most about `limit` characters: the beginning and the end, and how many are missing between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} …{len(text) - 2 * half} characters… {text[-half:]}"


def fitted(make: Callable[[int], dict[str, Any]], limit_bytes: int) -> dict[str, Any]:
    """The first of ever shorter versions that fits as JSON; in the last ones long lists lose their middle."""
    for chars in _LIMITS:
        row = make(chars)
        if _size(row) <= limit_bytes:
            return row
    for ends in _LIST_ENDS:
        row = {key: _shortened(value, ends) for key, value in make(_LIMITS[-1]).items()}
        if _size(row) <= limit_bytes:
            return row
    return row


def _shortened(value: Any, ends: int) -> Any:
    if not isinstance(value, list) or len(value) <= 2 * ends:
        return value
    return [*value[:ends], {"left_out": len(value) - 2 * ends}, *value[-ends:]]


def _size(row: dict[str, Any]) -> int:
    return len(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())
