"""Files of one JSON object a line: appended in one write, read whole or as they grow, torn lines skipped."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from liverl.record.shapes import decode


def append_object(path: Path, row: dict[str, Any]) -> None:
    """Append one object as one `O_APPEND` write, on a new line where a killed writer left half of one."""
    line = encode(row) + b"\n"
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        if _tail_is_torn(descriptor):
            line = b"\n" + line
        _write_all(descriptor, line)
    finally:
        os.close(descriptor)


def write_by_rename(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Replace a file so that a reader sees the old content or the new, never half.

    With `durable` that holds after a power cut too: the content is on the disk before the name is.
    """
    # Threads of one process may write the same file at once.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with draft.open("wb") as stream:
            stream.write(content)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)  # on a full disk it would take what room is left
        raise


def encode(row: dict[str, Any]) -> bytes:
    """One object as strict JSON; a number that isn't finite becomes null, as in verl's own file.

    Half a character, which JSON can spell and UTF-8 can't, becomes a question mark.
    """
    return json.dumps(_finite(row), ensure_ascii=False, allow_nan=False).encode(errors="replace")


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Every object of a file, in order; nothing when it is missing."""
    return iter(JsonlTail(path).read(to_end=True))


def recent_objects(path: Path, limit_bytes: int) -> tuple[list[dict[str, Any]], bool]:
    """The objects of a file's last bytes, in order, and whether that is all of it; nothing when it is missing."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - limit_bytes))
            lines = stream.read(limit_bytes).split(b"\n")
    except FileNotFoundError:
        return [], True
    is_whole = size <= limit_bytes
    return [row for line in lines[0 if is_whole else 1 :] if (row := _decode(line)) is not None], is_whole


class JsonlTail:
    """Reads the objects that were added since the last read; starts over when the file was truncated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0

    def read(self, *, to_end: bool = False) -> list[dict[str, Any]]:
        """The complete new lines as objects; with `to_end` also a last line that lacks its line feed."""
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return []
        if size < self.offset:
            self.offset = 0
        if size == self.offset:
            return []
        with self.path.open("rb") as stream:
            stream.seek(self.offset)
            chunk = stream.read(size - self.offset)
        end = len(chunk) if to_end else chunk.rfind(b"\n") + 1
        self.offset += end
        return [row for line in chunk[:end].split(b"\n") if (row := _decode(line)) is not None]


def _decode(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        return decode(line)
    except (ValueError, TypeError):
        return None


def _tail_is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
