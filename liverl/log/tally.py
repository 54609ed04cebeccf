"""The counts of literals whose lines need no look any more, gathered over a block: a hundred thousand rows of one kind
hold the same literals again and again.

Counted   where a line stands that is only counted
Tally     gathers and counts
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from liverl.log.blocks import Block
from liverl.log.matcher import Hit
from liverl.log.seen import LAST_PLACES, Seen
from liverl.log.segments import segment_at

# Its offset, and a line before it with its offset.
Counted = tuple[int, int, int]
# Patterns that are only counted, each with the literal that stands for it.
Of = Sequence[tuple[Seen, int]]


class _Lines(NamedTuple):
    """Lines that hold the same literals as often, and whose places are counted for the same patterns."""

    of: Of
    times: Mapping[int, int]
    places: list[Counted]


class Tally:
    """Counts of one block, in whatever order they come, which `settle` gives to their patterns in that of the lines."""

    def __init__(self, keys: Sequence[Sequence[str]], seen: Mapping[str, Seen]) -> None:
        """`keys` are the patterns that each literal may stand for."""
        self._keys, self._seen = keys, seen
        # By literal: how often it stood in lines that were looked at.
        self.looked = [0] * len(keys)
        self._lines: dict[tuple[int, int], _Lines] = {}
        self._passed: list[Hit] = []

    def add(self, of: Of, times: Mapping[int, int], place: Counted) -> None:
        """A line that was looked at."""
        # The lines hold on to both, so that no other one can come to stand at their addresses.
        same = id(of), id(times)
        if (lines := self._lines.get(same)) is None:
            lines = self._lines[same] = _Lines(of, times, [])
        lines.places.append(place)

    def pass_over(self, hits: Iterable[Hit]) -> None:
        """Literals in lines that are not looked at, as all of their patterns are full."""
        self._passed += hits

    def settle(self, block: Block) -> None:
        """Count what was gathered of a block."""
        if not self._lines and not self._passed:
            return
        late: dict[int, tuple[Seen, list[Counted]]] = {}
        for of, times, places in self._lines.values():
            for number, of_one in times.items():
                self.looked[number] += of_one * len(places)
            for seen, number in of:
                seen.beyond += times[number] * len(places)
                late.setdefault(id(seen), (seen, []))[1].extend(places[-LAST_PLACES:])
        for key, place in self._places(block, self._passed):
            seen = self._seen[key]
            late.setdefault(id(seen), (seen, []))[1].append(place)
        for seen, places in late.values():
            # A block may be settled twice, with places of before behind those of after: the last have to be the last.
            seen.late = sorted((*seen.late, *places))[-LAST_PLACES:]
        self._lines, self._passed = {}, []

    def _places(self, block: Block, hits: Collection[Hit]) -> list[tuple[str, Counted]]:
        """Count literals that are passed over; the last places of each pattern's."""
        for number, times in Counter(number for number, _ in hits).items():
            for key in self._keys[number]:
                self._seen[key].beyond += times
        places: list[tuple[str, Counted]] = []
        start = until = -1
        for number, end in list(hits)[-LAST_PLACES:]:
            if end > until:  # most of them stand in one line with others
                segment = segment_at(block, end)
                start, until = segment.start, segment.end
            places += [(key, (block.offset + start, block.offset, block.line)) for key in self._keys[number]]
        return places
