"""What stands around a byte of a log and at its end, as cleaned lines, in bounded memory.

around      the lines before and after one; beside: the nearest of them; below: those that follow; above: those before
last_lines  the last lines that say something
line_from   the line that begins at a byte
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from liverl.log.clean import LINE_BYTES
from liverl.log.segments import cleaned

AROUND = 40
_SIDE_BYTES = 64 << 10
_BESIDE_BYTES = 8 << 10
_RANK = re.compile(r"^\[rank ?\d+\]: ?")
TAIL_BYTES = 256 << 10


class TailLine(NamedTuple):
    """A line near the end: where it begins, its bytes, its text; `back` is its place from the end, 1 the last."""

    offset: int
    back: int
    raw: bytes
    text: str


def around(descriptor: int, offset: int, lines: int = AROUND) -> str:
    """The line at a byte with so many before and after it (of each side at most 64 kB), as one text."""
    start = max(0, offset - _SIDE_BYTES)
    before = os.pread(descriptor, offset - start, start)
    # The byte may stand within a line that redraws itself.
    own = before.rfind(b"\n") + 1
    above = before[:own].split(b"\n")[:-1][-lines:]
    after = (before[own:] + os.pread(descriptor, _SIDE_BYTES, offset)).split(b"\n")[: lines + 1]
    return "\n".join(cleaned(each).text for each in (*above, *after))


def line_from(descriptor: int, offset: int) -> bytes:
    """The line, or the drawing of a line, that begins at a byte; of a long one its beginning."""
    raw = os.pread(descriptor, LINE_BYTES, offset)
    return raw.split(b"\n", 1)[0].split(b"\r", 1)[0]


def beside(descriptor: int, offset: int) -> str:
    """The line that begins at a byte with the 3 before and the 6 after it that the same process said, as one text."""
    start = max(0, offset - _BESIDE_BYTES)
    own = line_from(descriptor, offset)
    above = os.pread(descriptor, offset - start, start).split(b"\n")[:-1]
    after = os.pread(descriptor, _BESIDE_BYTES, offset).split(b"\n")
    return "\n".join((*_said_by(own, above)[-3:], *_said_by(own, after)[:7]))


def below(descriptor: int, offset: int, word: bytes) -> list[str]:
    """The lines after that which begins at a byte, that the same process said, as far as 64 kB reach; none where those
    don't hold a word."""
    block = os.pread(descriptor, _SIDE_BYTES, offset)
    if word not in block:
        return []
    own, *lines = block.split(b"\n")
    return _said_by(own, lines)


def above(descriptor: int, offset: int, words: Sequence[bytes]) -> list[str]:
    """The lines before that which begins at a byte, that the same process said, as far as 8 kB reach; none where those
    hold none of the words."""
    start = max(0, offset - _BESIDE_BYTES)
    block = os.pread(descriptor, offset - start, start)
    if not any(word in block for word in words):
        return []
    return _said_by(line_from(descriptor, offset), block.split(b"\n")[:-1])


def _said_by(own: bytes, block: list[bytes]) -> list[str]:
    """The lines that are of the same process as one of them, without the rank before them."""
    lines = [cleaned(raw[:LINE_BYTES]) for raw in block]
    actor = cleaned(own).actor
    return [_RANK.sub("", line.text) for line in lines if line.actor == actor]


def last_lines(descriptor: int, size: int, count: int) -> list[TailLine]:
    """The last lines (as far as 256 kB reach), blank ones left out, each drawing of a line a line; the oldest first."""
    start = max(0, size - TAIL_BYTES)
    block = os.pread(descriptor, size - start, start)
    if start and (feed := block.find(b"\n")) >= 0:
        block, start = block[feed + 1 :], start + feed + 1
    lines = block.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    found: list[TailLine] = []
    end = start + len(block.removesuffix(b"\n"))
    for back, whole in enumerate(reversed(lines), 1):
        end -= len(whole)
        at = end + len(whole)
        for raw in reversed(whole.split(b"\r")):
            at -= len(raw)
            text = cleaned(raw[:LINE_BYTES]).text
            if text.strip():
                found.append(TailLine(at, back, raw[:LINE_BYTES], text))
            at -= 1
        end -= 1
        if len(found) >= count:
            break
    return found[:count][::-1]
