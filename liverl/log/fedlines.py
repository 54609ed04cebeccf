"""The lines that may tell a step, given in their order to who reads steps.

Steps      who reads them
FedLines   gives the lines that hold a needle, those that follow, and of progress bars only what they drew last
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Protocol

from liverl.log.blocks import Block
from liverl.log.segments import Place, Segment, raw_of, segment_at

# A step line of 170 metrics has 6 kB, one of a few hundred GPUs some times that.
STEP_BYTES = 1 << 16
_BARS = (b"it/s", b"s/it")
_MOST_BARS = 256
_BAR_BYTES, _NAME_BYTES = 400, 48
_DIGITS = b"0123456789 "


class Steps(Protocol):
    """Takes the lines that may tell a step: those that hold one of `needles`, and `follow` lines behind the last."""

    follow: int

    @property
    def needles(self) -> Sequence[bytes]:
        """Literals of which such a line holds one."""

    def feed(self, number: int, offset: int, raw: bytes) -> bool:
        """Take a line; whether it tells a step."""

    def feed_row(self, number: int, offset: int, raw: bytes) -> bool:
        """The same for a line that is known to be one."""


class FedLines:
    """Gives lines to the reader of steps. Bars are redrawn thousands of times: their last state is given by `flush`."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        # The numbers of the lines that told a step, in every attempt.
        self.told = array("Q")
        self._next = 0
        self._step_needles = [each for each in steps.needles if not self.is_bar(each)]
        self._bars: dict[bytes, tuple[int, int, bytes]] = {}
        self._drawn: dict[bytes, int] = {}

    @staticmethod
    def is_bar(needle: bytes) -> bool:
        """Whether a needle is found in progress bars."""
        return any(each in needle for each in _BARS)

    def begin(self, block: Block) -> None:
        """The lines of a new block follow."""
        self._next = block.start

    def feed(self, place: Place, segment: Segment) -> bool:
        """Give a segment; whether it tells a step."""
        if segment.start < self._next:
            return False  # it was given among the lines that follow another
        block = place.block
        number, offset = place.line(segment.line_start), block.offset + segment.start
        if tells := self.steps.feed(number, offset, raw_of(block, segment, STEP_BYTES)):
            self.told.append(number)
        self._next = segment.end + 1
        return tells

    def feed_row(self, place: Place, segment: Segment, raw: bytes) -> None:
        """Give a segment that is known to be a step line."""
        if segment.start < self._next:
            return
        number, offset = place.line(segment.start), place.block.offset + segment.start
        if self.steps.feed_row(number, offset, raw):
            self.told.append(number)
        self._next = segment.end + 1

    def draw(self, block: Block, place: int) -> None:
        """Keep the bar that ends at a place, instead of what it drew before."""
        data, first = block.data, max(0, place - _BAR_BYTES)
        head = data.rfind(b"%|", first, place)
        head = data.rfind(b"| ", first, place) if head < 0 else head
        if head < 0:  # no bar that is known: one for each beginning of a line
            start = max(data.rfind(b"\n", first, place), data.rfind(b"\r", first, place), first - 1) + 1
            key = bytes(data[start : start + _NAME_BYTES].translate(None, _DIGITS))
        else:
            total = data.find(b"/", head, place)
            until = data.find(b" ", total, place)
            start = max(0, head - _NAME_BYTES, data.rfind(b"\n", max(0, head - _NAME_BYTES), head) + 1)
            key = bytes(data[start:head].translate(None, _DIGITS)) + data[total:until]
        self._drawn.pop(key, None)
        self._drawn[key] = place

    def end(self, block: Block) -> None:
        """The block ends: keep what its bars drew last."""
        for key, place in self._drawn.items():
            segment = segment_at(block, place)
            raw = raw_of(block, segment, STEP_BYTES)
            if not any(each in raw for each in self._step_needles):  # such a line was given as a whole
                self._bars.pop(key, None)
                self._bars[key] = (block.line, block.offset + segment.start, raw)
        self._drawn.clear()
        if len(self._bars) > _MOST_BARS:
            self.flush()

    def follow(self, place: Place, until: int) -> None:
        """Give the lines before a place that follow a line which asked for them."""
        block = place.block
        while self.steps.follow > 0 and self._next < until:
            end = block.data.find(b"\n", self._next, block.end)
            end = block.end if end < 0 else end
            raw = bytes(block.data[self._next : min(end, self._next + STEP_BYTES)])
            self.steps.feed(place.line(self._next), block.offset + self._next, raw)
            self._next = end + 1

    def flush(self) -> None:
        """Give what the bars drew last."""
        following, self.steps.follow = self.steps.follow, 0
        bars, self._bars = self._bars, {}
        for told in bars.values():
            self.steps.feed(*told)
        self.steps.follow = following
