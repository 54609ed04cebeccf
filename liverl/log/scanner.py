"""Lines that are looked for, found in the blocks of a log: a literal is met, then the expression decides.

Scanner      all patterns at once, block after block
Expression   the expressions of one pattern
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from liverl.log.blocks import Block
from liverl.log.clean import LINE_BYTES
from liverl.log.dull import Context, Dull
from liverl.log.fedlines import STEP_BYTES, FedLines, Steps
from liverl.log.fold import raw_key
from liverl.log.literals import Needle, needles_of, represented
from liverl.log.matcher import Hit, matcher
from liverl.log.seen import FIRST, LAST_PLACES, Met, Seen
from liverl.log.segments import Place, Segment, cleaned, raw_of, said_at, segment_at
from liverl.log.sighting import LinePattern

_TEXT_CHARS = 2000
_MOST_KNOWN = 4096
_KEY_BYTES = 512
_PLAIN, _STEP, _BAR = 0, 1, 2
# A pattern that shows no literal is tried on lines that hold one of these, and at the log's end.
ALARMS = tuple(
    Needle(word) for word in (b"Error", b"Exception", b"error", b"WARN", b"Traceback", b"Killed", b"fatal")
)


class Expression:
    """A pattern's expressions, compiled."""

    def __init__(self, meets: str, unless: str = "") -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._meets = re.compile(meets)
            self._unless = re.compile(unless) if unless else None

    def groups(self, text: str) -> dict[str, str] | None:
        """The named groups of a line that meets the pattern; None of one that does not."""
        found = self._meets.search(text)
        if found is None or (self._unless is not None and self._unless.search(text)):
            return None
        return {name: value or "" for name, value in found.groupdict().items()}


def expression_of(pattern: LinePattern) -> Expression:
    """A pattern's expressions, compiled once a process; patterns of the same ones share them."""
    return _expression(pattern.pattern, pattern.unless)


@lru_cache(maxsize=4096)
def _expression(meets: str, unless: str) -> Expression:
    return Expression(meets, unless)


# By literal: how often it stands in a segment, and where it ends the last time.
Found = dict[int, tuple[int, int]]


class Scanner:
    """All patterns at once. `near` and `at_end` are not looked at here: they need lines that come later."""

    def __init__(self, patterns: Sequence[LinePattern], steps: Steps, kept: Mapping[str, int]) -> None:
        """`kept` says of which patterns more than the first few lines are kept."""
        self.seen = {each.key: Seen(each, keep=kept.get(each.key, FIRST)) for each in patterns}
        self.expressions = {each.key: expression_of(each) for each in patterns}
        by_needle: dict[Needle, list[str]] = defaultdict(list)
        self.slow = []
        for each in patterns:
            if each.at_end:
                continue
            needles = needles_of(each)
            if not needles:
                self.slow.append(each.key)
            for needle in needles or ALARMS:
                by_needle[needle].append(each.key)
        by_needle = _together(by_needle)
        self._lines = FedLines(steps)
        needles_used = list(dict.fromkeys((*by_needle, *map(Needle, _shortest(tuple(steps.needles))))))
        self._keys = [tuple(by_needle.get(needle, ())) for needle in needles_used]
        steps_needles = {Needle(text): _BAR if FedLines.is_bar(text) else _STEP for text in steps.needles}
        self._kinds = [steps_needles.get(needle, _PLAIN) for needle in needles_used]
        self._bars = frozenset(number for number, kind in enumerate(self._kinds) if kind == _BAR)
        self.matcher = matcher(needles_used)
        self._dull = Dull()
        self._known: set[tuple[bytes, frozenset[int]]] = set()
        # Literals whose patterns are all full.
        self._quiet: frozenset[int] = frozenset()

    def take(self, block: Block) -> None:
        """Look through a whole block; the step lines in it are fed in their order."""
        place, lines = Place(block), self._lines
        lines.begin(block)
        for segment, found in self._segments(block, self._worth(block)):
            lines.follow(place, segment.line_start)
            if lines.steps.follow > 0 or any(self._kinds[each] == _STEP for each in found):
                lines.feed(place, segment)
            wanted = self._wanted(found, segment, block)
            if wanted:
                self._try(place, segment, wanted, found)
        lines.follow(place, block.end)
        lines.end(block)

    def _worth(self, block: Block) -> list[Hit]:
        """The literals of a block that are worth a look, with where they end; the others are counted or passed over."""
        hits = self._find(block)
        if not hits:
            return hits
        counted = [hit for hit in hits if hit[0] in self._quiet] if self._quiet else []
        if counted:
            self._count(block, counted)
        worth = []
        bars, often, quiet = self._bars, self._dull.often, self._quiet
        context = Context(block.data) if often else None
        for hit in hits:
            number, end = hit
            if number in bars:
                self._lines.draw(block, end)
                if not self._keys[number]:
                    continue
            if number not in quiet and not (
                context and number in often and self._dull.knows(number, context, end)
            ):
                worth.append(hit)
        return worth

    def _find(self, block: Block) -> list[Hit]:
        found = self.matcher.find(memoryview(block.data)[block.start : block.end])
        return [(number, block.start + end) for number, end in found] if block.start else found

    def tried(self, block: Block) -> list[tuple[str, Met]]:
        """What meets a pattern in the block of a line that has not ended; nothing is kept of it."""
        met = []
        for segment, found in self._segments(block, self._find(block)):
            keys = [key for each in found for key in self._keys[each]]
            met += self.meets(raw_of(block, segment), block.line, block.offset + segment.start, keys)
        return met

    def steps_in(self, block: Block) -> list[tuple[int, bytes]]:
        """The parts of a line that has not ended yet which may tell a step, with where they begin."""
        return [
            (block.offset + segment.start, raw_of(block, segment, STEP_BYTES))
            for segment, found in self._segments(block, self._find(block))
            if any(self._kinds[each] != _PLAIN for each in found)
        ]

    @property
    def step_lines(self) -> Sequence[int]:
        """The numbers of the lines that told a step, in every attempt."""
        return self._lines.told

    def flush(self) -> None:
        """Give the reader of steps what was held back."""
        self._lines.flush()

    def meets(self, raw: bytes, number: int, offset: int, keys: Sequence[str]) -> list[tuple[str, Met]]:
        """Which of the patterns a raw line meets."""
        line = cleaned(raw)
        met = []
        # A write-up asks the same of a line in several signs, beside other facts.
        asked: dict[Expression, dict[str, str] | None] = {}
        for key in dict.fromkeys(keys):
            expression = self.expressions[key]
            if expression not in asked:
                asked[expression] = expression.groups(line.text)
            groups = asked[expression]
            if groups is not None:
                text = line.text[:_TEXT_CHARS]
                met.append(
                    (key, Met(number, offset, text, line.actor, line.times, said_at(raw, line.text), groups))
                )
        return met

    def _wanted(self, found: Found, segment: Segment, block: Block) -> list[str]:
        """The patterns for which a line has to be tried; for the others its literals are counted."""
        wanted = []
        for each, (times, _) in found.items():
            for key in self._keys[each]:
                seen = self.seen[key]
                if seen.is_full:
                    seen.beyond += times
                    seen.late.append((block.offset + segment.start, block.offset, block.line))
                else:
                    seen.tried += times
                    wanted.append(key)
        return wanted

    def _try(self, place: Place, segment: Segment, wanted: Sequence[str], found: Found) -> None:
        raw = raw_of(place.block, segment)
        # Most of a log are lines just like others, but for their times: what none of them meets is read once.
        known = (raw_key(raw), frozenset(found)) if len(raw) <= _KEY_BYTES else None
        if known is None or known not in self._known:
            met = self.meets(raw, place.line(segment.line_start), place.block.offset + segment.start, wanted)
            for key, each in met:
                self._add(key, each)
            if met:
                return
            if known is not None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known.add(known)
        for number, (_, end) in found.items():
            if self._kinds[number] != _STEP:
                self._dull.miss(number, place.block.data, end)

    def _add(self, key: str, met: Met) -> None:
        seen = self.seen[key]
        seen.add(met)
        if seen.is_full:
            self._quiet = frozenset(
                number
                for number, keys in enumerate(self._keys)
                if keys and self._kinds[number] != _STEP and all(self.seen[each].is_full for each in keys)
            )

    def _count(self, block: Block, hits: Sequence[Hit]) -> None:
        """Count literals whose patterns are all full."""
        for number, times in Counter(number for number, _ in hits).items():
            for key in self._keys[number]:
                self.seen[key].beyond += times
        for number, end in hits[-LAST_PLACES:]:
            start = segment_at(block, end).start
            for key in self._keys[number]:
                self.seen[key].late.append((block.offset + start, block.offset, block.line))

    def _segments(self, block: Block, hits: Sequence[Hit]) -> Iterator[tuple[Segment, Found]]:
        """The segments that hold literals within what is told of them, with the literals."""
        segment: Segment | None = None
        found: Found = {}
        for number, end in hits:
            if segment is None or end > segment.end:
                if segment is not None and found:
                    yield segment, found
                segment, found = segment_at(block, end), {}
            if end <= segment.start + LINE_BYTES:
                found[number] = (found[number][0] + 1 if number in found else 1, end)
        if segment is not None and found:
            yield segment, found


def _together(by_needle: Mapping[Needle, Sequence[str]]) -> dict[Needle, list[str]]:
    """The patterns by the literals that are looked for, fewer than they show themselves."""
    found: dict[Needle, list[str]] = defaultdict(list)
    for needle, shorter in represented(frozenset(by_needle)).items():
        found[shorter] += by_needle[needle]
    return {needle: list(dict.fromkeys(keys)) for needle, keys in found.items()}


@lru_cache(maxsize=8)
def _shortest(texts: tuple[bytes, ...]) -> list[bytes]:
    """The texts without those that hold another one: a line that holds them is found by that."""
    return [text for text in texts if not any(other != text and other in text for other in texts)]
