"""Step lines that differ in nothing but their numbers: what a search finds in the words of one stands in all of them.

A long run tells a hundred thousand of them. Each is known by what is left of it without its numbers, so that only the
literals that have to do with numbers are looked for in it.

Row          a line of a kind that is known
Held         the literals in it
AlikeRows    learns the kinds, and finds their lines in a block
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True, eq=False)
class Held:
    """The literals that some lines hold, with how often each does."""

    times: Mapping[int, int]
    numbers: frozenset[int]


@dataclass(frozen=True, eq=False)
class _Kind:
    """The literals in the words of a kind of lines, and by what their numbers hold besides what that is together."""

    words: Mapping[int, int]
    held: dict[tuple[int, ...], Held] = field(default_factory=dict)


class Row(NamedTuple):
    """A line of a known kind: where it lies in its block, its bytes, its text."""

    segment: Segment
    raw: bytes
    kind: _Kind

    @property
    def text(self) -> str:
        """As a person reads it, without who said it."""
        return _text(self.raw)


@dataclass
class AlikeRows:
    """The kinds of step lines met until now, each with how often its words hold which literal."""

    needles: Sequence[Needle]

    def __post_init__(self) -> None:
        self._kinds: dict[bytes, _Kind] = {}
        # Literals that have to do with numbers: which, and what finds them.
        self._numbered: list[int] = []
        self._matcher: Matcher | None = None

    def learn(self, raw: bytes, search: Matcher, passed: frozenset[int]) -> None:
        """Take a line that tells a step as one of a kind; one that holds any of the `passed` literals is of none."""
        if len(raw) < _LEAST_BYTES or len(raw) > LINE_BYTES or len(self._kinds) >= _MOST_KINDS:
            return
        key = raw.translate(None, _OF_NUMBERS)
        if key in self._kinds or b"\r" in raw or not raw.isascii():
            return
        found = Counter(number for number, _ in search.find(memoryview(raw)))
        if not passed.isdisjoint(found) or cleaned(raw).text != _text(raw):
            return
        if self._matcher is None:
            self._numbered = [at for at, each in enumerate(self.needles) if _NUMBERED.search(each.text)]
            self._matcher = matcher([self.needles[at] for at in self._numbered])
        self._kinds[key] = _Kind({at: times for at, times in found.items() if at not in self._numbered})

    def within(self, block: Block) -> list[Row]:
        """The lines of a block that are of a known kind, in their order."""
        rows: list[Row] = []
        if not self._kinds:
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
        return rows

    def held(self, row: Row) -> Held:
        """The literals that a row holds."""
        assert self._matcher is not None, "who knows a kind can look for numbers"
        numbers = tuple(number for number, _ in self._matcher.find(memoryview(row.raw)))
        held = row.kind.held
        if (known := held.get(numbers)) is None:
            if len(held) >= _MOST_KINDS:
                held.clear()
            times = {**row.kind.words, **Counter(self._numbered[number] for number in numbers)}
            known = held[numbers] = Held(times, frozenset(times))
        return known


def _text(raw: bytes) -> str:
    return raw[raw.find(_BEGINS) :].decode().rstrip()
