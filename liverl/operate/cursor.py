"""A place in a log of a run, as a short text that a caller hands back."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from liverl.errors import RunError
from liverl.record.layout import RunDir

# What the next answer is to hold: the newest lines since the place, the lines before it, or the lines from it on.
SINCE, BEFORE, FROM = "s", "b", "f"
_FORM = re.compile(r"([sbf])(\d{1,6})-([0-9a-f]{1,8})-([0-9a-f]{1,12})-([0-9a-f]{4})")


@dataclass(frozen=True)
class Cursor:
    """Where, in which file of which attempt, and in which direction; `file` is the file's mark within the run."""

    direction: str
    attempt: int
    file: str
    offset: int


def write_cursor(run: RunDir, cursor: Cursor) -> str:
    """The cursor as text that only this run takes back."""
    return f"{cursor.direction}{cursor.attempt}-{cursor.file}-{cursor.offset:x}-{_mark(str(run.root), 4)}"


def read_cursor(run: RunDir, text: str) -> Cursor:
    """The cursor of a text; raises `RunError` when it is none, or one of another run."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise bad_cursor(run, text, "it does not look like one")
    direction, attempt, file, offset, mark = found.groups()
    if mark != _mark(str(run.root), 4):
        raise bad_cursor(run, text, "it belongs to another run")
    return Cursor(direction, int(attempt), file, int(offset, 16))


def bad_cursor(run: RunDir, text: str, why: str) -> RunError:
    """The error for a cursor that leads nowhere."""
    return RunError(
        "log.bad_cursor",
        f"The cursor is not one of the log of {run.name[:80]}.",
        evidence=f"{text[:60]!r}: {why}",
        next_action=f"liverl logs {run.name}",
    )


def file_mark(relative: str) -> str:
    """A file's mark within its run."""
    return _mark(relative, 8)


def _mark(text: str, digits: int) -> str:
    return f"{zlib.crc32(text.encode(errors='surrogateescape')):08x}"[:digits]
