"""A growing log as clean lines, from where the last read ended, at any size of the file."""

from __future__ import annotations

from pathlib import Path

from liverl.record.tail import cause_line, clean, last_words, tail_lines

__all__ = ["LineReader", "cause_line", "clean", "last_words", "tail_lines"]

_CHUNK_BYTES = 4 * 1024 * 1024


class LineReader:
    """Reads the lines that were added since the last read; starts over when the file was truncated."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path = path
        self.offset = offset

    def read(self) -> list[str]:
        """The complete new lines, cleaned; at most 4 MiB of them, so call until there are none."""
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return []
        if size < self.offset:
            self.offset = 0
        with self.path.open("rb") as stream:
            stream.seek(self.offset)
            chunk = stream.read(_CHUNK_BYTES)
        end = chunk.rfind(b"\n") + 1
        if end == 0 and len(chunk) == _CHUNK_BYTES:
            end = len(chunk)  # one line longer than a chunk: give it in pieces rather than never
        self.offset += end
        # A progress bar redraws its line by carriage returns; only what it drew last stands.
        lines = chunk[:end].decode(errors="replace").split("\n")
        return [clean(line.rstrip("\r").rsplit("\r", 1)[-1]) for line in lines if line]
