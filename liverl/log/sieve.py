"""Expressions that many lines are tried with: those that a line can't meet are left out by one search for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from liverl.log.literals import Needle
from liverl.log.matcher import matcher
from liverl.log.prefilter import prefilter_of

# In a shorter line Python finds an expression soon enough.
_LONG_CHARS = 512


class Shows(Protocol):
    """An expression that is left out or not; of each set of strings every match holds one."""

    @property
    def meets(self) -> str:
        """The expression's text."""

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The sets of strings."""


class Sieve[Asked: Shows]:
    """Which of many expressions are worth a look. Each is looked for by strings that a line of the kind lacked; of long
    lines one that lacked none of them by itself, in a search that is faster than Python's."""

    def __init__(self, asked: Sequence[Asked], text: str) -> None:
        by_string: dict[str, list[int]] = defaultdict(list)
        always = []
        for number, each in enumerate(asked):
            lacked = next((its for its in each.shown if not any(string in text for string in its)), None)
            if lacked is None:
                always.append(number)
            for string in lacked or ():
                by_string[string].append(number)
        is_long = len(text) >= _LONG_CHARS
        self._filter = prefilter_of({number: asked[number].meets for number in always}) if is_long else None
        self._always = frozenset(always) - (self._filter.known if self._filter else frozenset())
        self._by_needle = list(by_string.values())
        self._matcher = matcher([Needle(string.encode()) for string in by_string])

    def worth(self, text: str) -> frozenset[int]:
        """The numbers of the expressions that a line may meet."""
        found = self._always
        if self._filter is not None:
            found |= self._filter.may_meet(text)
        if not self._by_needle:
            return found
        hits = self._matcher.find(memoryview(text.encode()))
        return found.union(*(self._by_needle[number] for number, _ in hits)) if hits else found
