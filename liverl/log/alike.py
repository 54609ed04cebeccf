"""Step lines that differ in nothing but their numbers: what a search finds in the words of one stands in all of them.

A long run tells a hundred thousand of them. Each is known by what is left of it without its numbers, so that only the
literals that may have to do with numbers are looked for in it.

Kind         lines that are alike
Held         the literals that one of them holds
Row          one of them in its block
AlikeRows    learns the kinds, and finds their lines in a block
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from liverl.log.blocks import Block
from liverl.log.clean import LINE_BYTES
from liverl.log.literals import Needle
from liverl.log.matcher import Matcher, matcher
from liverl.log.segments import Segment, cleaned

_BEGINS = b"step:"
# A shorter line is no row of a trainer's metrics; that of another program costs less than to know it.
_LEAST_BYTES = 512
# The signs of which numbers are made; they are left out of words, too, which those of a kind share.
_OF_NUMBERS = b"0123456789.+-eE"
# A literal that may stand in a number, or reach into one.
_NUMBERED = re.compile(rb"\d|[:=(][-+.]+$")
_MOST_KINDS = 256
# Of a block with fewer step lines than that it costs more to look for them before its search than they save.
_FEW_ROWS = 8


@dataclass(frozen=True, eq=False)
class Held:
    """The literals that some lines hold, with how often each does."""

    times: Mapping[int, int]
    numbers: frozenset[int]


class Kind:
    """Lines of which the same is left without their numbers."""

    def __init__(self, key: bytes, found: Mapping[int, int], needles: Sequence[Needle]) -> None:
        """`key` is what is left, `found` says how often the first of them holds which literal."""
        self._lower = key.lower()
        # Literals that have to do with numbers; the others stand in each line of the kind as often.
        self._numbered = [
            at for at, each in enumerate(needles) if _NUMBERED.search(each.text) and self._may_hold(each.text)
        ]
        self._words = {at: times for at, times in found.items() if not _NUMBERED.search(needles[at].text)}
        self._matcher: Matcher | None = None
        if self._numbered:
            self._matcher = matcher([needles[at] for at in self._numbered])
        self._held: dict[tuple[int, ...], Held] = {}
        self._always = Held(self._words, frozenset(self._words))

    def _may_hold(self, text: bytes) -> bool:
        """Whether a text may stand in a line in whatever case, as far as its words tell."""
        return text.lower().translate(None, _OF_NUMBERS) in self._lower

    def may_meet(self, words: Iterable[Iterable[str]]) -> bool:
        """Whether a line may hold one string of each set, in whatever case."""
        return all(any(self._may_hold(each.encode()) for each in its) for its in words)

    def held(self, raw: bytes) -> Held:
        """The literals that a line of this kind holds."""
        if self._matcher is None:
            return self._always
        hits = self._matcher.find(memoryview(raw))
        if not hits:
            return self._always
        numbers = tuple(number for number, _ in hits)
        if (known := self._held.get(numbers)) is None:
            if len(self._held) >= _MOST_KINDS:
                self._held.clear()
            times = {**self._words, **Counter(self._numbered[number] for number in numbers)}
            known = self._held[numbers] = Held(times, frozenset(times))
        return known


class Row(NamedTuple):
    """A line of a known kind: where it lies in its block, its bytes."""

    segment: Segment
    raw: bytes
    kind: Kind

    @property
    def told(self) -> bytes:
        """As a person reads it, without who said it."""
        return _told(self.raw)


class AlikeRows:
    """The kinds of step lines met until now."""

    def __init__(self, needles: Sequence[Needle]) -> None:
        self._needles = needles
        self._kinds: dict[bytes, Kind] = {}
        # How many step lines the last block held, and this one until now.
        self._before, self._now = 0, 0

    def learn(self, raw: bytes, search: Matcher, passed: frozenset[int]) -> None:
        """Take a line that tells a step as one of a kind; one that holds any of the `passed` literals is of none."""
        self._now += 1
        if len(raw) < _LEAST_BYTES or len(raw) > LINE_BYTES or len(self._kinds) >= _MOST_KINDS:
            return
        key = raw.translate(None, _OF_NUMBERS)
        if key in self._kinds or b"\r" in raw or not raw.isascii():
            return
        found = Counter(number for number, _ in search.find(memoryview(raw)))
        if passed.isdisjoint(found) and cleaned(raw).text == _told(raw).decode():
            self._kinds[key] = Kind(key, found, self._needles)

    def within(self, block: Block) -> list[Row]:
        """The lines of a block that are of a known kind, in their order; none where the block before held few."""
        rows: list[Row] = []
        self._before, self._now = self._now, 0
        if not self._kinds or self._before < _FEW_ROWS:
            return rows
        data, at = block.data, block.start
        # The beginning of the block's first line may stand in another block.
        first = data.find(b"\n", block.start, block.end) + 1 if block.head else block.start
        while (at := data.find(_BEGINS, at, block.end)) >= 0:
            start, end = max(first, data.rfind(b"\n", first, at) + 1), data.find(b"\n", at, block.end)
            if end < 0:
                break
            if _LEAST_BYTES <= end - start <= LINE_BYTES and at >= first:
                raw = bytes(data[start:end])
                if (kind := self._kinds.get(raw.translate(None, _OF_NUMBERS))) is not None:
                    rows.append(Row(Segment(start, end, start), raw, kind))
            at = end + 1
        self._now = len(rows)
        return rows


def _told(raw: bytes) -> bytes:
    return raw[raw.find(_BEGINS) :].rstrip()
