"""Files of one JSON object a line: appended in one write, read whole or as they grow, torn lines skipped."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


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


def write_by_rename(path: Path, content: bytes) -> None:
    """Replace a file so that a reader sees the old content or the new, never half."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("wb") as stream:
        stream.write(content)
    draft.replace(path)


def encode(row: dict[str, Any]) -> bytes:
    """One object as strict JSON; a number that isn't finite becomes null, as in verl's own file."""
    return json.dumps(_finite(row), ensure_ascii=False, allow_nan=False).encode()


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Every object of a file, in order; nothing when it is missing."""
    return iter(JsonlTail(path).read(to_end=True))


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
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


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
