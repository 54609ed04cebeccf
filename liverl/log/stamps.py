"""The time that a line tells, as ISO-8601."""

from __future__ import annotations

import re

_HEAD_CHARS = 300
_DATED = re.compile(
    r"\b(20\d\d)[-/](\d\d)[-/](\d\d)[ T-](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(Z|\+00:?00|[+-]\d\d:?\d\d)?"
)
# glog and vLLM tell month and day alone.
_DAY = re.compile(r"\b(\d\d)-(\d\d) (\d\d:\d\d:\d\d)\b")
_CLOCK = re.compile(r"(?<![\d:])([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?![\d:])")


def time_of(text: str) -> str:
    """The first time in a line: `2026-11-21T13:17:59Z` where it says that it is UTC, without the Z where it does not,
    `13:17:59` where no day is told, "" without any."""
    head = text[:_HEAD_CHARS]
    if found := _DATED.search(head):
        year, month, day, hour, minute, second, zone = found.groups()
        told = f"{year}-{month}-{day}T{hour}:{minute}:{second}"
        if zone in (None, ""):
            return told
        return told + ("Z" if zone == "Z" or zone.replace(":", "") == "+0000" else zone)
    if found := _DAY.search(head):
        return f"{found.group(1)}-{found.group(2)} {found.group(3)}"
    if found := _CLOCK.search(head):
        return found.group()
    return ""
