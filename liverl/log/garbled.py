"""Sampled text that no model in order writes: letters of several writings in one line, without a word between."""

from __future__ import annotations

import re
from collections.abc import Iterable

# A longer log has data of its users in it, in whatever language; but hardly those of so many in one line.
_MOST_LINES, MOST_LINES = 60, 400
_LATIN = re.compile(r"[A-Za-z]{2}")
# Japanese mixes its own letters with Chinese ones; Korean may.
_WRITINGS = tuple(
    re.compile(each)
    for each in (
        "[\u3040-\u30ff\u3400-\u9fff]",
        "[\u0400-\u052f]",
        "[\u0590-\u05ff]",
        "[\u0600-\u06ff\ufb50-\ufdff]",
        "[\u0900-\u0dff]",
        "[\u0e00-\u0eff]",
        "[\uac00-\ud7af]",
    )
)
_CHINESE, _KOREAN = 0, len(_WRITINGS) - 1
# A list of languages has a comma between them.
_LISTED = re.compile(r"[,;/|、·]\s?")
_FEWEST, _SURE, _LONGEST = 3, 5, 4000
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def garbled(lines: Iterable[str], count: int) -> int:
    """In how many lines, of the last ones of a log of so many, letters of three writings or more (of a longer log:
    five) stand among each other."""
    fewest = _FEWEST if count < _MOST_LINES else _SURE
    told = (_plain(line[:_LONGEST]) for line in lines if not line.isascii() or "\\u" in line)
    return sum(1 for line in told if _is_garbled(line, fewest))


def _plain(line: str) -> str:
    """A line with the letters that a program wrote by their numbers."""
    return _ESCAPED.sub(lambda found: chr(int(found.group(1), 16)), line)


def _is_garbled(line: str, fewest: int) -> bool:
    met = {at for at, each in enumerate(_WRITINGS) if each.search(line)}
    if len(met) < fewest - 1 or met == {_CHINESE, _KOREAN} or not _LATIN.search(line):
        return False
    parts = _LISTED.split(line)
    return any(sum(1 for each in (*_WRITINGS, _LATIN) if each.search(part)) >= fewest for part in parts)
