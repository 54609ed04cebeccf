"""A log whose lines end with carriage returns alone, as old editors and copies of a terminal leave it.

with_feeds   its text with line feeds in their place; None where it has line feeds, or is a bar that redraws itself
"""

from __future__ import annotations

import os

# A longer one is read as it stands: as one line.
MOST_BYTES = 64 << 20
_BAR = b"%|"


def with_feeds(descriptor: int, head: bytes, size: int) -> bytes | None:
    """The text with each piece between two returns as a line; of a file with a line feed in its head only that is
    read. What is drawn again and again over itself stays one line: a text most of whose pieces are drawings of bars."""
    if b"\r" not in head or b"\n" in head.rstrip(b"\r\n") or size > MOST_BYTES:
        return None
    text = os.pread(descriptor, size, 0)
    drawn = sum(_BAR in each for each in text.split(b"\r"))
    if b"\n" in text.rstrip(b"\r\n") or 2 * drawn > text.count(b"\r"):
        return None
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
