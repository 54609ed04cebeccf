"""verl's dict of validation metrics, which a log tells over several lines, as strings in parentheses."""

from __future__ import annotations

from liverl.log.formats import dicts

BEGINS = b"alidation metrics: {"
MOST_LINES = 60


class Validation:
    """Such a dict and what has been found of it."""

    def __init__(self, text: str, is_first: bool, number: int) -> None:
        self.is_first, self.number = is_first, number
        self._text = _unquoted(text[max(0, text.find(BEGINS.decode())) :])

    @property
    def is_whole(self) -> bool:
        """Whether the dict has ended."""
        return "}" in self._text

    @property
    def row(self) -> dict[str, float]:
        """Its metrics."""
        return dicts.pairs(self._text[self._text.find("{") :])

    def join(self, text: str) -> bool:
        """Whether a line is a part of it."""
        stripped = text.strip()
        if stripped[:1] not in ("'", '"'):
            return False
        self._text += _unquoted(stripped)
        return True


def _unquoted(text: str) -> str:
    text = text.strip()
    for mark in ("(", '"'):
        text = text.removeprefix(mark)
    for mark in (")", '"'):
        text = text.removesuffix(mark)
    return text
