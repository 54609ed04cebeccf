"""A growing log in blocks that end where a line ends, each byte read once, in bounded memory.

A segment is what stands between two line feeds or carriage returns: a line, or one drawing of a line that redraws
itself. One that is longer than a block is told by its beginning; the rest of it is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

BLOCK_BYTES = 1 << 19
_HEAD_BYTES = 256
_FEED = 10


@dataclass
class Block:
    """Bytes `start` to `end` of a buffer that is used again for the next block; the first byte stands at `offset`.

    `line` is the number of the line that it begins in, `head` that line's beginning where it stands in an earlier
    block. `is_whole` is false for the last bytes of a log whose line has not ended yet.
    """

    data: bytearray
    end: int
    offset: int
    line: int
    head: bytes = b""
    is_whole: bool = True
    start: int = 0


@dataclass
class Blocks:
    """Where the reading of one log has got to. `lines` counts the line feeds until there."""

    offset: int = 0
    lines: int = 0
    head: bytes = b""
    is_passing: bool = False
    _buffer: bytearray = field(default_factory=bytearray)

    def read(self, descriptor: int, size: int) -> Iterator[Block]:
        """The new blocks up to a size, then the line that has not ended yet, which will be read again."""
        if len(self._buffer) != BLOCK_BYTES:
            self._buffer = bytearray(BLOCK_BYTES)
        view = memoryview(self._buffer)
        while self.offset < size:
            want = min(BLOCK_BYTES, size - self.offset)
            got = os.preadv(descriptor, [view[:want]], self.offset)
            if got <= 0:
                return
            cut = self._cut(got)
            if cut == 0 and got < BLOCK_BYTES:
                start = self._first_end(got) if self.is_passing else 0
                if start < got:
                    line = self.lines + 1
                    yield Block(self._buffer, got, self.offset, line, self.head, is_whole=False, start=start)
                return
            yield from self._block(cut or got, is_long=cut == 0)

    def _cut(self, got: int) -> int:
        """Where the last whole line ends; in a line that is longer than a block, the last whole segment."""
        feed = self._buffer.rfind(b"\n", 0, got) + 1
        return feed or (self._buffer.rfind(b"\r", 0, got) + 1 if got == BLOCK_BYTES else 0)

    def _block(self, end: int, *, is_long: bool) -> Iterator[Block]:
        start = 0
        if self.is_passing:  # what is left of a segment whose beginning was told
            start = end if is_long else self._first_end(end)
        block = Block(self._buffer, end, self.offset, self.lines + 1, self.head, start=start)
        if start < end:
            yield block
        self.lines += int(np.count_nonzero(np.frombuffer(self._buffer, np.uint8, end) == _FEED))
        feed = self._buffer.rfind(b"\n", 0, end) + 1
        if feed:
            self.head = bytes(self._buffer[feed : min(end, feed + _HEAD_BYTES)])
        elif len(self.head) < _HEAD_BYTES:
            self.head += bytes(self._buffer[: min(end, _HEAD_BYTES - len(self.head))])
        self.is_passing = is_long
        self.offset += end

    def _first_end(self, end: int) -> int:
        """Where the first segment ends, behind its line feed or carriage return; the end where it does not."""
        found = [at for sign in (b"\n", b"\r") if (at := self._buffer.find(sign, 0, end)) >= 0]
        return min(found) + 1 if found else end
