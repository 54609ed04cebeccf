"""The lines of a log from any byte on, backwards or forwards, never more than a bounded part of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from liverl.log.clean import LINE_BYTES

_FIRST_BYTES = 32 << 10
_MOST_BYTES = 256 << 10
# What cleaning takes away: a terminal code or a C1 control behind a character of a word, and other controls anywhere.
_WITHIN_WORD = (re.compile(rb"\x1b(?<=\w\x1b)"), re.compile(rb"\xc2(?<=\w\xc2)[\x80-\x9f]"))
_NOT_SHOWN = bytes((*range(9), 11, 12, *range(14, 27), *range(28, 32), 127))


class Piece(NamedTuple):
    """Whole lines of a log between two bytes, in the order of the file, each with where it begins."""

    start: int
    end: int
    lines: list[tuple[int, bytes]]


def backwards(descriptor: int, low: int, high: int, word: bytes = b"") -> Iterator[Piece]:
    """The lines between two bytes in pieces, the newest piece first; `high` is the end of a line.

    A piece without `word`, however it is coloured, has no lines. A line longer than a piece is given by its first
    16 kB, or its last where carriage returns redraw it; where its beginning lies before `low`, from there on.
    """
    size = _FIRST_BYTES
    while high > low:
        start = max(low, high - size)
        block = os.pread(descriptor, high - start, start)
        if start > low:
            feed = block.find(b"\n", 0, len(block) - 1)
            if feed < 0 and size < _MOST_BYTES:
                size = _MOST_BYTES
                continue
            if feed < 0:
                yield (piece := _long_line(descriptor, low, high))
                high = piece.start
                continue
            block, start = block[feed + 1 :], start + feed + 1
        yield Piece(start, high, _lines(block, start, word))
        high, size = start, min(_MOST_BYTES, 2 * size)


def forwards(descriptor: int, low: int, high: int, word: bytes = b"") -> Iterator[Piece]:
    """The lines between two bytes in pieces, the oldest piece first; `low` is the beginning of a line."""
    size = _FIRST_BYTES
    while low < high:
        block = os.pread(descriptor, min(size, high - low), low)
        if not block:
            return
        end = low + len(block)
        if end < high:
            feed = block.rfind(b"\n")
            if feed < 0 and size < _MOST_BYTES:
                size = _MOST_BYTES
                continue
            if feed < 0:
                end = _line_end(descriptor, end, high)
                yield Piece(low, end, [(low, _told(descriptor, low, end))])
                low = end
                continue
            block, end = block[: feed + 1], low + feed + 1
        yield Piece(low, end, _lines(block, low, word))
        low, size = end, min(_MOST_BYTES, 2 * size)


def line_start(descriptor: int, offset: int) -> int:
    """Where the line that ends at or holds a byte begins, as far as 256 kB tell."""
    start = max(0, offset - _MOST_BYTES)
    feed = os.pread(descriptor, offset - start, start).rfind(b"\n")
    return start + feed + 1 if feed >= 0 else start


def next_line(descriptor: int, offset: int) -> int:
    """Where the line behind a byte begins, or the byte itself where 256 kB have no end of a line."""
    return offset + os.pread(descriptor, _MOST_BYTES, offset).find(b"\n") + 1


def _lines(block: bytes, start: int, word: bytes) -> list[tuple[int, bytes]]:
    if word and word not in block and not _may_split(block):
        return []
    found, at = [], start
    for line in block.removesuffix(b"\n").split(b"\n"):
        if not word or word in line or _may_split(line):
            found.append((at, line))
        at += len(line) + 1
    return found


def _may_split(block: bytes) -> bool:
    """Whether somewhere within a word stands what cleaning takes away."""
    if len(block.translate(None, _NOT_SHOWN)) != len(block):
        return True  # rare in any log
    return any(sign.search(block) for sign in _WITHIN_WORD)


def _long_line(descriptor: int, low: int, high: int) -> Piece:
    end = high - 1  # its own line feed, if it has one
    while end > low:
        start = max(low, end - _MOST_BYTES)
        feed = os.pread(descriptor, end - start, start).rfind(b"\n")
        if feed >= 0:
            start += feed + 1
            return Piece(start, high, [(start, _told(descriptor, start, high))])
        end = start
    return Piece(low, high, [(low, _told(descriptor, low, high))])


def _told(descriptor: int, start: int, end: int) -> bytes:
    tail = os.pread(descriptor, LINE_BYTES, max(start, end - LINE_BYTES))
    head = os.pread(descriptor, min(LINE_BYTES, end - start), start)
    return (tail if b"\r" in tail.rstrip(b"\r\n") else head).rstrip(b"\n")


def _line_end(descriptor: int, at: int, high: int) -> int:
    while at < high:
        block = os.pread(descriptor, min(_MOST_BYTES, high - at), at)
        feed = block.find(b"\n")
        if feed >= 0 or not block:
            return at + feed + 1 if block else high
        at += len(block)
    return high
