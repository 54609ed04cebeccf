"""Many literals looked for at once in a block of bytes.

matcher        the fastest one that this machine has
ByHyperscan    0.7 GB a second with all write-ups (bench/RESULTS.md)
ByNumpy        some fifty megabytes a second (bench/RESULTS.md), where the library hyperscan is not there
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Protocol

import numpy as np

from liverl.log.literals import SHORTEST, Needle, end_rarity

# A literal's number and where in the block it ends.
Hit = tuple[int, int]
_LONG_BYTES, _MOST_COMMON = 8, 200
# Below some thousand literals the library takes a smaller table, through which more text passes (measured: 0.5 s
# instead of 1.8 s a gigabyte with 941 and 991 of them): literals that no text holds make up for it. A few need none.
_FEW, _ENOUGH = 150, 1024
_HASH_BITS = 20
_MIX = np.uint32(0x9E3779B1)
_LOWER = np.uint32(0x20202020)


class Matcher(Protocol):
    """Finds literals; `name` says how, `is_fast` whether it reaches the speed that is promised."""

    name: str
    is_fast: bool

    def find(self, block: bytearray | memoryview) -> list[Hit]:
        """Every place of every literal, ordered by where it ends."""


def matcher(needles: Sequence[Needle]) -> Matcher:
    """The fastest matcher that this machine has."""
    try:
        import hyperscan  # noqa: F401
    except ImportError:
        return ByNumpy(needles)
    return ByHyperscan(needles)


class ByHyperscan:
    """Intel's multi-pattern library.

    Short literals, and those that end as much other text does, are looked for apart: among the others they would slow
    down the search for all of them (measured: 0.7 GB/s in one search, 1.3 GB/s in two).
    """

    name = "hyperscan"
    is_fast = True

    def __init__(self, needles: Sequence[Needle]) -> None:
        numbered = list(enumerate(needles))
        short = [each for each in numbered if len(each[1].text) < _LONG_BYTES or each[1].caseless]
        long = [each for each in numbered if len(each[1].text) >= _LONG_BYTES and not each[1].caseless]
        long.sort(key=lambda each: end_rarity(each[1].text))
        common = min(_MOST_COMMON, len(long) // 4)
        rare = long[common:]
        if len(rare) > _FEW:
            rare += [(len(needles), Needle(text)) for text in _unheard_of(_ENOUGH - len(rare))]
        self._databases = [_database(part) for part in (rare, short + long[:common]) if part]
        self._hits: list[Hit] = []
        self._count = len(needles)

    def find(self, block: bytearray | memoryview) -> list[Hit]:
        """Every place of every literal, ordered by where it ends."""
        hits: list[Hit] = []
        self._hits = hits
        if len(block):
            for database in self._databases:
                database.scan(block, match_event_handler=self._take)
        hits.sort(key=itemgetter(1))
        return hits

    def _take(self, number: int, _start: int, end: int, _flags: int, _context: object) -> None:
        if number < self._count:
            self._hits.append((number, end))


def _unheard_of(count: int) -> list[bytes]:
    """So many literals of bytes that are no text in any encoding."""
    return [b"\xff\xfe\xfd" + bytes(0xC0 | number >> shift & 0x3F for shift in (0, 6, 3, 9)) + b"\xfe\xff\xfc"
            for number in range(max(0, count))]  # fmt: skip


def _database(needles: Sequence[tuple[int, Needle]]) -> Any:
    """Literals, compiled in a few milliseconds, so that nothing needs to be kept on disk."""
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[each.text for _, each in needles],
        ids=[number for number, _ in needles],
        elements=len(needles),
        flags=[hyperscan.HS_FLAG_CASELESS if each.caseless else 0 for _, each in needles],
        literal=True,
    )
    return database


class ByNumpy:
    """Four or eight bytes of each literal, looked up at every place of the block in tables of hashes."""

    name = "numpy"
    is_fast = False

    def __init__(self, needles: Sequence[Needle]) -> None:
        numbered = list(enumerate(needles))
        self._tables = []
        for is_caseless in (False, True):
            texts = [(number, each.text) for number, each in numbered if each.caseless is is_caseless]
            for words in (1, 2):
                part = [each for each in texts if (len(each[1]) >= 2 * SHORTEST) is (words == 2)]
                if part:
                    self._tables.append(_Table(part, words, is_caseless))

    def find(self, block: bytearray | memoryview) -> list[Hit]:
        """Every place of every literal, ordered by where it ends."""
        held = bytes(block)
        return sorted((hit for table in self._tables for hit in table.find(held)), key=itemgetter(1))


class _Table:
    """Literals by one or two words of four bytes each that stand in them."""

    def __init__(self, literals: Sequence[tuple[int, bytes]], words: int, is_caseless: bool) -> None:
        self._size = words * SHORTEST
        self._fold = _LOWER if is_caseless else np.uint32(0)
        self._is_mark = [np.zeros(1 << _HASH_BITS, bool) for _ in range(words)]
        # By those bytes: literals with the place of the bytes in them.
        self._by_mark: dict[bytes, list[tuple[int, int, bytes]]] = defaultdict(list)
        for number, text in literals:
            at = _rarest(text, self._size)
            mark = text[at : at + self._size]
            self._by_mark[mark].append((number, at, text))
            for is_mark, place in zip(self._is_mark, self._hash(np.frombuffer(mark, "<u4")), strict=True):
                is_mark[place] = True

    def find(self, block: bytes) -> list[Hit]:
        if len(block) < self._size:
            return []
        hits: list[Hit] = []
        text = block.lower() if self._fold else block
        for shift in range(SHORTEST):
            count = (len(block) - shift) // SHORTEST
            words = np.frombuffer(block, "<u4", count, shift)
            places = np.flatnonzero(self._is_mark[0][self._hash(words)])
            if len(self._is_mark) > 1:
                places = places[places + 1 < count]
                places = places[self._is_mark[1][self._hash(words[places + 1])]]
            for place in places.tolist():
                hits += self._at(text, shift + SHORTEST * place)
        return hits

    def _at(self, text: bytes, place: int) -> list[Hit]:
        found = []
        for number, at, literal in self._by_mark.get(text[place : place + self._size], ()):
            if place >= at and text.startswith(literal, place - at):
                found.append((number, place - at + len(literal)))
        return found

    def _hash(self, words: Any) -> Any:
        return ((words | self._fold) * _MIX) >> np.uint32(32 - _HASH_BITS)


def _rarest(text: bytes, size: int) -> int:
    """Where the bytes of a literal stand that other text holds least often."""
    return max(range(len(text) - size + 1), key=lambda at: end_rarity(text[: at + size]))
