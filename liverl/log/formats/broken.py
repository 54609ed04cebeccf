"""A step line that a terminal or a pager may have broken over several lines."""

from __future__ import annotations

from liverl.log.formats import verl


class Broken:
    """A step line and what has been found of its rest; `is_settled` once it was taken as it is."""

    def __init__(self, number: int, text: bytes, width: int, time: str) -> None:
        self.number, self.text, self.time = number, text, time
        self._width = width
        self.is_settled = False
        self._is_known = False
        self._is_over = False

    def join(self, raw: bytes) -> bool:
        """Whether a line is its rest."""
        rest = raw.rstrip(b"\r\n")
        if self._is_over or not verl.continues(rest, self._width, self._is_known):
            return False
        # A terminal breaks within words, a pager between them.
        gap = b" " if rest.lstrip().startswith(b"- ") or self.text.endswith(b" -") else b""
        self._is_over = len(rest) < self._width - 8
        self._is_known, self.is_settled = True, False
        self.text += gap + rest.strip() if gap else rest.strip(b"\r\n")
        return True
