"""Parts of a log for somebody who does not have it, without secrets, whatever the log is packed in.

end_of         its last lines
ends_by        the last lines of each component of a run's log
lines_around   the lines around one, by number
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from liverl.log.clean import COMPONENTS, LINE_BYTES
from liverl.log.formats.detect import encoding_of
from liverl.log.formats.encoded import plain_pieces
from liverl.log.growing import open_log
from liverl.log.select import Wish, newest
from liverl.record.masking import mask
from liverl.record.tail import clean, tail_lines

_LINES = 400
_BYTES = 4 * 1024 * 1024
# Of a chatty log: as much as is looked through for one component.
_LOOK_BYTES = 64 << 20
_COMPONENT_LINES = 200
_BEFORE, _AFTER = 20, 60
_LINE_CHARS = 4000


def end_of(path: Path) -> str:
    """The last 400 lines, of the last 4 MiB."""
    with path.open("rb") as stream:
        is_packed = bool(encoding_of(stream.read(4096)))
    if not is_packed:
        return "\n".join(tail_lines(path, _LINES, _BYTES))
    kept, is_cut = b"", False
    for piece in plain_pieces(path):
        kept += piece
        if len(kept) > _BYTES:
            kept, is_cut = kept[-_BYTES:], True
    lines = kept.decode(errors="replace").splitlines()
    # Of the end of a line nobody can tell whether it is the end of a secret.
    return "\n".join(mask(clean(line)) for line in lines[is_cut:][-_LINES:])


def ends_by(log: Path) -> Iterator[tuple[str, str]]:
    """The last 200 lines of each component that has printed any into a run's common log, alike ones told once."""
    descriptor = open_log(log)
    if descriptor is None:
        return
    try:
        size = os.fstat(descriptor).st_size
        for component in COMPONENTS:
            wish = Wish(_COMPONENT_LINES, _LOOK_BYTES, _LOOK_BYTES, component)
            found = newest(descriptor, 0, size, wish).shown
            if found:
                told = (f"{each.text} (×{each.times})" if each.times > 1 else each.text for each in found)
                yield component, "\n".join(told)
    finally:
        os.close(descriptor)


def lines_around(path: Path, number: int) -> str:
    """20 lines before and 60 after one, each with its number; "" where the file has none such."""
    lines = _lines(path, max(1, number - _BEFORE), number + _AFTER)
    # Masked before it is cut, so that the cut does not hide from the mask what a secret is.
    return "\n".join(f"{at}: {mask(clean(line))[:_LINE_CHARS]}" for at, line in lines)


def _lines(path: Path, first: int, last: int) -> Iterator[tuple[int, str]]:
    """The lines between two numbers, each at most 16 KiB of it."""
    at, begun = 1, b""  # the number of the line that comes next, and what of it was read already
    for piece in plain_pieces(path):
        ends = piece.count(b"\n")
        if at + ends < first:  # most of a log is only counted
            at, begun = at + ends, b""
            continue
        *whole, begun = (begun + piece).split(b"\n")
        for line in whole:
            if at >= first:
                yield at, _text(line)
            at += 1
            if at > last:
                return
        begun = begun[:LINE_BYTES]
    if begun and at >= first:
        yield at, _text(begun)


def _text(line: bytes) -> str:
    return line[:LINE_BYTES].decode(errors="replace").replace("\0", "")
