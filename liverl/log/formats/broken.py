"""A step line that a terminal or a pager may have broken over several lines."""

from __future__ import annotations

import re

from liverl.log.formats import verl

# A metric's name and its value.
_LONGEST_WORD = 64
# Blanks at a line's end are cut where a terminal's text is copied.
_BLANKS = 2


# Somebody put the pairs of a step on lines of their own: the last one is whole, and another one begins.
_WHOLE_PAIR = re.compile(rb"(?:^| - )[^:\s]+:-?\d+(?:\.\d+)?$")
_PAIR = re.compile(rb"\s*[A-Za-z_][\w-]*/[^:\s]+:\S")


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
        # A terminal breaks within words, a pager between them: its lines are as long as their words let them be.
        is_between = rest.lstrip().startswith(b"- ") or self.text.endswith(b" -")
        width = self._width + (_LONGEST_WORD if is_between else _BLANKS)
        if self._is_over or not verl.continues(self.text, rest, width, self._is_known):
            return False
        gap = b" " if is_between else b""
        if not gap and _WHOLE_PAIR.search(self.text) and _PAIR.match(rest):
            gap = b" - "
        self._is_over = len(rest) < self._width - 8 and not (
            is_between and len(rest) >= self._width - _LONGEST_WORD
        )
        self._width = max(self._width, len(rest))
        self._is_known, self.is_settled = True, False
        self.text += gap + rest.strip() if gap else rest.strip(b"\r\n")
        return True
