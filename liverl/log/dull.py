"""Literals that a log holds again and again in the same words, where no pattern is ever met: those are passed over."""

from __future__ import annotations

# A literal that was tried so often is one that this log is full of.
_OFTEN = 500
# The same words, tried so often without a match, won't match.
_ENOUGH = 100
_BEFORE, _EXACT, _AFTER = 16, 4, 32
_MOST_KEPT = 1 << 15
# Behind so many tries of a literal the words around it are others each time, where they still are: a metric's values.
# Nothing more is asked of it.
_MANY, _KNOWN_SHARE = 5000, 0.5
# Times and counters stand around a literal: which digits they have matters only as far as they are zero or not, but
# for those right behind it (a status, an exit code).
_DIGITS = bytes.maketrans(b"23456789", b"11111111")


# A literal's number, the text around it without its digits, the text right behind it.
Words = tuple[int, bytes, bytes]


class Context:
    """A piece of a log in which literals stand."""

    def __init__(self, data: bytearray) -> None:
        self._data = bytes(data)
        # Once for all of them: a log may hold a hundred thousand in a block.
        self._plain = self._data.translate(_DIGITS)

    def words(self, number: int, place: int) -> Words:
        """The words around a literal that ends at a place."""
        return (
            number,
            self._plain[max(0, place - _BEFORE) : place + _AFTER],
            self._data[place : place + _EXACT],
        )


class Dull:
    """The words around literals that met nothing; `often` are the literals of which that is asked."""

    def __init__(self) -> None:
        self.often: set[int] = set()
        self._tries: dict[int, int] = {}
        self._passed: dict[int, int] = {}
        self._varied: set[int] = set()
        self._missed: dict[Words, int] = {}

    def knows(self, number: int, context: Context, place: int) -> bool:
        """Whether a literal that ends at a place stands among words that were tried often enough."""
        is_known = self._missed.get(context.words(number, place), 0) >= _ENOUGH
        if is_known:
            self._passed[number] = self._passed.get(number, 0) + 1
        return is_known

    def miss(self, number: int, data: bytearray, place: int) -> None:
        """A literal was tried there for nothing."""
        if number in self._varied:
            return
        tries = self._tries[number] = self._tries.get(number, 0) + 1
        if tries < _OFTEN:
            return
        if tries >= _MANY and self._passed.get(number, 0) < _KNOWN_SHARE * tries:
            self._varied.add(number)
            self.often.discard(number)
            return
        self.often.add(number)
        if len(self._missed) >= _MOST_KEPT:
            self._missed.clear()
        around = data[max(0, place - _BEFORE) : place + _AFTER]
        words = (number, bytes(around.translate(_DIGITS)), bytes(data[place : place + _EXACT]))
        self._missed[words] = self._missed.get(words, 0) + 1
