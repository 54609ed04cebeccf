"""A raw line of a console log as text, and when it was said."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# Whose escape was lost when the log was copied.
_COLOUR = re.compile(r"(?:\^\[|\\(?:x1b|u001b|033))?\[\d{1,3}(?:;\d{1,3}){0,4}m")
_ACTOR = re.compile(
    r"^(?:\((?:[^()]{1,80}?,? (?:pid|ip)=[^()]{1,80}|(?:raylet|autoscaler)[^()]{0,40})\) ?){1,3}"
)
_TIME = re.compile(rb"\[?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z")
_HEAD = re.compile(
    r"\s*(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\]?)?\s*[|-]?\s*"
    r"\[?(?:INFO|DEBUG|WARNING|info|debug)\s*\]?(?:\s*[|:-]\s?|(?=\s))(?:[\w.]+(?::\w+)*:\d+\]?\s*[|:-]\s?)?"
)
# What a bar redraws in one line may be megabytes; a row stands before or behind that.
_LINE_BYTES = 32_768


def text_of(raw: bytes) -> str:
    """A line without terminal codes and the actor that said it; a very long one by its last redraw."""
    if len(raw) > _LINE_BYTES:
        kept = raw.rstrip(b"\r\n")
        raw = kept[max(kept.rfind(b"\r") + 1, len(kept) - _LINE_BYTES) :]
    text = raw.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "[0m" in text:
        text = _COLOUR.sub("", text)
    return _ACTOR.sub("", text) if text.startswith("(") else text


def headless(text: str) -> str:
    """A line without what a logger puts before each: when, how grave, from where."""
    found = _HEAD.match(text)
    return text[found.end() :] if found else text


def is_of_actor(raw: bytes) -> bool:
    """Whether a line was said by one of Ray's workers, and not by the process that trains (EasyR1's)."""
    begin = _ANSI.sub("", raw[:32].decode("utf-8", "replace")) if b" pid=" in raw[:160] else ""
    return begin.startswith("(") and not begin.startswith("(Runner pid=")


def time_of(raw: bytes) -> str:
    """When a line was said, in UTC, where it begins with that; else ""."""
    found = _TIME.match(raw)
    return f"{found.group(1).decode()}Z" if found else ""
