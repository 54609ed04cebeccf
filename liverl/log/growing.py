"""A file that grows: whether it is still the one that was read before, and the complete lines it has gained."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEAD_BYTES = 64
BLOCK_BYTES = 1 << 20
# A line longer than this is no row of ours: it is passed over rather than kept in memory.
_LONGEST_LINE = 16 << 20


@dataclass(frozen=True)
class Mark:
    """What a file looked like: device, inode, its first bytes, and how many bytes it had."""

    device: int
    inode: int
    head: bytes
    size: int

    def is_continued_by(self, other: Mark) -> bool:
        """Whether the other is this file, only grown: neither truncated, replaced nor written anew."""
        same = (self.device, self.inode) == (other.device, other.inode)
        return same and other.size >= self.size and other.head.startswith(self.head)


def mark(descriptor: int) -> Mark:
    """The mark of an open file."""
    found = os.fstat(descriptor)
    return Mark(found.st_dev, found.st_ino, os.pread(descriptor, HEAD_BYTES, 0), found.st_size)


def open_log(path: Path) -> int | None:
    """A descriptor of a regular file; None when there is none that can be read."""
    try:
        # Not blocking: a pipe in the place of a file must not hold its reader.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


class NewLines:
    """The complete lines that a file has gained since the last look; from the start again when it is another file.

    `restarts` counts how often that was so. With `last_bytes` a look from the start begins so many bytes before
    the end, behind the line that it falls into.
    """

    def __init__(self, path: Path, last_bytes: int | None = None) -> None:
        self.path = path
        self.restarts = 0
        self.offset = 0
        self._last_bytes = last_bytes
        self._mark: Mark | None = None
        self._is_within_line = False

    def read(self) -> Iterator[list[bytes]]:
        """The new lines, in lists of about a mebibyte; a look that is broken off is taken up by the next."""
        descriptor = open_log(self.path)
        if descriptor is None:
            return
        try:
            now = mark(descriptor)
            if self._mark is None or not self._mark.is_continued_by(now):
                self.restarts += self._mark is not None
                self._begin(descriptor, now.size)
            self._mark = now
            yield from self._blocks(descriptor, now.size)
        except OSError:  # a disk that fails under a reader gives no new lines
            return
        finally:
            os.close(descriptor)

    def _begin(self, descriptor: int, size: int) -> None:
        self.offset = 0 if self._last_bytes is None else max(0, size - self._last_bytes)
        self._is_within_line = self.offset > 0 and os.pread(descriptor, 1, self.offset - 1) != b"\n"

    def _blocks(self, descriptor: int, size: int) -> Iterator[list[bytes]]:
        at, held = self.offset, b""
        while at < size and (block := os.pread(descriptor, min(BLOCK_BYTES, size - at), at)):
            at += len(block)
            if self._is_within_line:
                end = block.find(b"\n") + 1
                self._is_within_line = end == 0
                block = block[end:] if end else b""
            held += block
            end = held.rfind(b"\n") + 1
            lines, held = held[: max(0, end - 1)], held[end:]
            if len(held) > _LONGEST_LINE:
                held, self._is_within_line = b"", True
            self.offset = at - len(held)
            if end:
                yield lines.split(b"\n")
