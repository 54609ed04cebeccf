"""Literals that a log holds again and again in the same words, where no pattern is ever met: those are passed over."""

from __future__ import annotations

# A literal that was tried so often is one that this log is full of.
_OFTEN = 500
# The same words, tried so often without a match, won't match.
_ENOUGH = 100
_BEFORE, _EXACT, _AFTER = 16, 4, 32
_MOST_KEPT = 1 << 15
# Times and counters stand around a literal: which digits they have matters only as far as they are zero or not, but
# for those right behind it (a status, an exit code).
_DIGITS = bytes.maketrans(b"23456789", b"11111111")


class Dull:
    """The words around literals that met nothing; `often` are the literals of which that is asked."""

    def __init__(self) -> None:
        self.often: set[int] = set()
        self._tries: dict[int, int] = {}
        self._missed: dict[tuple[int, bytes], int] = {}

    def knows(self, number: int, data: bytes, place: int) -> bool:
        """Whether a literal that ends at a place stands among words that were tried often enough."""
        return self._missed.get(_words(number, data, place), 0) >= _ENOUGH

    def miss(self, number: int, data: bytes, place: int) -> None:
        """A literal was tried there for nothing."""
        tries = self._tries[number] = self._tries.get(number, 0) + 1
        if tries < _OFTEN:
            return
        self.often.add(number)
        if len(self._missed) >= _MOST_KEPT:
            self._missed.clear()
        words = _words(number, data, place)
        self._missed[words] = self._missed.get(words, 0) + 1


def _words(number: int, data: bytes, place: int) -> tuple[int, bytes]:
    exact = place + _EXACT
    before = data[max(0, place - _BEFORE) : place].translate(_DIGITS)
    return number, before + data[place:exact] + data[exact : place + _AFTER].translate(_DIGITS)
