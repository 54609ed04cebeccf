"""Expressions that a line can't meet, told by one search for all of them: Python takes a tenth of a millisecond for
each in a line of 3 kB, the library hyperscan a microsecond for all.

The library drops what it does not know (a look ahead) and takes its text for bytes, so that it finds more than Python
would, and never less: only of expressions and texts of ASCII letters that is sure, of others nothing is said.

Prefilter      which expressions a text may meet
prefilter_of   the same for some expressions; None where the library is not there, or takes none of them
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

# What both spell, and mean by it something else: {,5}, a bracket in a class, flags that only Python has, \v, \N{..},
# what refers to an earlier part.
_OTHERWISE = re.compile(r"\{,|\[[^\]]*\[|\(\?[a-zA-Z]*[aLux]|\\[vN]|\(\?\(|\(\?P=|\\[1-9]")
# Of what may be so wide the library takes up to a second to prepare a search.
_WIDE = re.compile(r"\{(?:\d+,)?\d{2,}\}")
_NOTHING: frozenset[int] = frozenset()
# What must not stand behind a match, at the end of an expression: a class of letters.
_NOT_BEHIND = re.compile(r"(?<!\\)\(\?!\[([^\]\[^\\]|\\[dws.])((?:[^\]\[\\]|\\[dws.])*)\]\)$")


class Prefilter:
    """Expressions by their numbers; `known` are those of which it can say something."""

    def __init__(self, database: Any, known: frozenset[int]) -> None:
        self._database = database
        # What a search is at stands in there: each of them needs its own.
        self._scratch = database.scratch.clone()
        self.known = known

    def may_meet(self, text: str) -> frozenset[int]:
        """Those of the known expressions that a text may meet; all of them where nothing is sure."""
        return self.may_meet_ascii(text.encode()) if text.isascii() else self.known

    def may_meet_ascii(self, text: bytes) -> frozenset[int]:
        """The same of a text of ASCII letters."""
        met: list[int] = []

        def take(number: int, _start: int, _end: int, _flags: int, _context: object) -> None:
            met.append(number)

        self._database.scan(text, match_event_handler=take, scratch=self._scratch)
        return frozenset(met) if met else _NOTHING


def prefilter_of(expressions: Mapping[int, str]) -> Prefilter | None:
    """What tells which of some expressions a text may meet."""
    found = _compiled(tuple(expressions.items()))
    return None if found is None else Prefilter(*found)


@lru_cache(maxsize=64)
def _compiled(expressions: tuple[tuple[int, str], ...]) -> tuple[Any, frozenset[int]] | None:
    try:
        import hyperscan  # noqa: F401
    except ImportError:
        return None
    known = [each for each in expressions if _database((each,)) is not None]
    database = _database(known) if known else None
    return None if database is None else (database, frozenset(number for number, _ in known))


def _database(numbered: Sequence[tuple[int, str]]) -> Any:
    """Expressions in one search; None where one of them is none of the library's, or means something else there."""
    import hyperscan

    if any(not text.isascii() or _OTHERWISE.search(text) or _WIDE.search(text) for _, text in numbered):
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(
            expressions=[_spelt(text).encode() for _, text in numbered],
            ids=[number for number, _ in numbered],
            elements=len(numbered),
            flags=[hyperscan.HS_FLAG_PREFILTER | hyperscan.HS_FLAG_SINGLEMATCH] * len(numbered),
        )
    except hyperscan.error:
        return None
    return database


def _spelt(expression: str) -> str:
    """An expression with what must not follow it as what may, which the library knows."""
    return _NOT_BEHIND.sub(r"(?:[^\1\2]|$)", expression)
