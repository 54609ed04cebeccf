"""Documents that a Python program printed as they were: `[{'step': 1, 'loss': 0.1}]`, `history = {'loss': [0.1]}`."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# A longer one is read line by line.
MOST_BYTES = 32 << 20
_NAME = re.compile(rb"\s*(?:[A-Za-z_]\w{0,60}\s?=\s?)?")
_BEGINS = re.compile(
    rb"(?:\[\s*\{\s*'[^'\n]{1,100}'\s*:\s*|\{\s*'[^'\n]{1,100}'\s*:\s*[\[(]\s*|\{\s*\d{1,12}\s*:\s*\{\s*'[^'\n]{1,100}'\s*:\s*)"
    rb"(?:[-+]?[\d.]|nan|np\.)"
)
_OF_A_LITERAL = re.compile(rb"[\s\w\[\]{}()'\",.:+/@%-]*")
_WRAPPED = re.compile(
    rb"\b(?:(?:np|numpy|torch|jnp)\.)?(?:float\d*|int\d*|bool_?|tensor|array|asarray)"
    rb"\(([^()]*?)(?:,\s*(?:device|dtype)=[^()]*)?\)"
)
# What stands between the marks of a literal, and what it is called in JSON.
_WORD = re.compile(rb"(?<![\w'/.])(None|True|False|-?nan|[-+]?inf)(?![\w'/.])")
_WORDS = {
    b"None": b"null", b"True": b"true", b"False": b"false", b"nan": b"NaN", b"-nan": b"NaN", b"inf": b"Infinity",
    b"+inf": b"Infinity", b"-inf": b"-Infinity",
}  # fmt: skip
_KEY = re.compile(rb"([{,]\s*)(-?\d+)(?=\s*:)")
_POINT = re.compile(rb"(?<![\w.'])\.(?=\d)")
_ENDING_POINT = re.compile(rb"(?<=\d)\.(?=[\s,\])}e])")
_LAST_COMMA = re.compile(rb",(?=\s*[\]}])")


def is_literal(sample: bytes, is_longer: bool) -> bool:
    """Whether a file is such a document of numbers, by its first bytes; they are all where it is no longer."""
    name = _NAME.match(sample)
    at = name.end() if name else 0
    if _BEGINS.match(sample, at) is None:
        return False
    return _OF_A_LITERAL.fullmatch(sample, at) is not None if is_longer else decoded(sample) is not None


def decoded(content: bytes) -> Any:
    """The document; None where it is none."""
    if len(content) > MOST_BYTES or b"'" not in content:
        return None
    name = _NAME.match(content)
    text = content[name.end() if name else 0 :].strip()
    if text[:1] not in (b"[", b"{") or b'"' in text:
        return None
    text = _WRAPPED.sub(rb"\1", text) if b"(" in text else text
    text = text.replace(b"(", b"[").replace(b")", b"]").replace(b"'", b'"')
    text = _ENDING_POINT.sub(b".0", _POINT.sub(b"0.", text))
    text = _LAST_COMMA.sub(b"", _WORD.sub(lambda found: _WORDS[found.group(1)], text))
    try:
        return json.loads(
            _KEY.sub(rb'\1"\2"', text), parse_constant=lambda word: math.inf, parse_int=_integer
        )
    except (ValueError, RecursionError):
        return None


def _integer(text: str) -> float | int:
    return int(text) if len(text) < 300 else math.inf
