"""One line within a block, or one drawing of a line that redraws itself.

segment_at   the segment that holds a place
raw_of       its bytes, behind who said it
cleaned      it as a person reads it
said_at      when it was said
Place        counts lines within a block
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from liverl.log.blocks import Block
from liverl.log.clean import LINE_BYTES, Line, parse_line
from liverl.log.stamps import time_of

# What a container's log puts before each line.
_CONTAINER = re.compile(rb"((?:20\d\d-)?\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6,9}(Z?) ")
_ACTOR = re.compile(rb"(?:\x1b\[[0-9;]*m)*\([A-Za-z_][\w.:-]{0,80}[^()]{0,80}\)")
_HEAD_BYTES = 256


class Segment(NamedTuple):
    """Where a part of a block lies that is one line, or one drawing of a line that redraws itself."""

    start: int
    end: int
    line_start: int


class Place:
    """Counts the lines of a block: places must be asked for in their order."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self._number, self._counted = block.line, 0

    def line(self, place: int) -> int:
        """The number of the line that a byte of the block is in."""
        if place > self._counted:
            self._number += self.block.data.count(b"\n", self._counted, place)
            self._counted = place
        return self._number


# The last lines of a log are tried with many patterns, one after the other.
@lru_cache(maxsize=256)
def cleaned(raw: bytes) -> Line:
    """A raw line as a person reads it, without the time that a container's log puts before it."""
    stamp = _CONTAINER.match(raw)
    return parse_line(raw[stamp.end() :] if stamp else raw)


def said_at(raw: bytes, text: str) -> str:
    """When a line was said, "" where that is unknown."""
    stamp = _CONTAINER.match(raw)
    return b"".join(stamp.groups()).decode() if stamp else time_of(text)


def segment_at(block: Block, place: int) -> Segment:
    """The segment whose last byte, or a byte before that, stands before a place."""
    data = block.data
    line_start = max(block.start, data.rfind(b"\n", block.start, place) + 1)
    start = max(line_start, data.rfind(b"\r", line_start, place) + 1)
    end = data.find(b"\n", place, block.end)
    end = block.end if end < 0 else end
    drawn = data.find(b"\r", place, end)
    return Segment(start, end if drawn < 0 else drawn, line_start)


def raw_of(block: Block, segment: Segment, limit: int = LINE_BYTES) -> bytes:
    """The segment's bytes, behind who said it where that stands before an earlier drawing of the line."""
    raw = bytes(block.data[segment.start : min(segment.end, segment.start + limit)])
    if segment.start == segment.line_start and not (segment.start == block.start and block.head):
        return raw
    head = block.head if segment.line_start == block.start and block.head else b""
    head = head or bytes(block.data[segment.line_start : segment.line_start + _HEAD_BYTES])
    actor = _ACTOR.match(head)
    return raw if actor is None or _ACTOR.match(raw) else actor.group() + b" " + raw
