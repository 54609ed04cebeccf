"""A log's noise folded: progress bars, NCCL's and Ray's chatter, and the same line said again."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from liverl.log.clean import Line

_PROGRESS = re.compile(r"\d%\|[^|]*\||\b(?:it|s|examples|[kMG]?B)/(?:s|it)\]")
_NCCL = re.compile(r"\bNCCL (?:INFO|TRACE|DEBUG)\b")
_STAMP = re.compile(r"(?:\d{4}-)?\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?|^\[?\d\d:\d\d:\d\d\]?")
_RAW_STAMP = re.compile(rb"\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")
# Noise shows, and a time stands, near a line's beginning; a step line is ten times as long.
_HEAD_CHARS = 500
_DIGITS = re.compile(r"\d+")
# A short line, such as a closing bracket, says nothing when it is told once for many.
_FOLDED_FROM_CHARS = 20


@dataclass
class Shown:
    """A line that stands for `times` alike ones; `offset` is where it begins, `match` where a pattern met it."""

    offset: int
    text: str
    times: int = 1
    match: int = 0


class Alike(NamedTuple):
    """What was done with a line that is not shown itself: its kind, how often it counts, the line it counts for."""

    kind: str
    times: int
    shown: Shown | None = None


@dataclass
class Fold:
    """Lines in the order they were added, alike ones told once; `folded` counts by kind what is not shown itself.

    Alike are lines of one actor and text but for the time at which they were said, and a bar's redraws.
    """

    is_raw: bool = False
    shown: list[Shown] = field(default_factory=list)
    folded: Counter[str] = field(default_factory=Counter)
    _by_key: dict[str, Shown] = field(default_factory=dict)

    def add(self, offset: int, line: Line, match: int = 0) -> Alike | None:
        """Take a line: it is shown, or folded into one that is; returns what to do with lines just like it."""
        if self.is_raw:
            self.shown.append(Shown(offset, line.shown, line.times, match))
            return None
        if not line.text.strip():
            return Alike("blank", line.times)
        kind = noise(line)
        if kind in ("nccl", "ray"):
            return self.again(Alike(kind, line.times))
        key = fold_key(line, kind)
        may_fold = bool(kind) or len(line.text) >= _FOLDED_FROM_CHARS
        alike = Alike(kind or "repeated", line.times, None if kind else self._by_key.get(key))
        if may_fold and key in self._by_key:
            return self.again(alike)
        shown = self._by_key[key] = Shown(offset, line.shown, line.times, match)
        self.shown.append(shown)
        if line.times > 1:
            self.folded["repeated"] += line.times - 1
        return Alike(alike.kind, line.times, None if kind else shown) if may_fold else None

    def again(self, alike: Alike) -> Alike:
        """Take another line just like an earlier one."""
        if alike.kind != "blank":
            self.folded[alike.kind] += alike.times
        if alike.shown is not None:
            alike.shown.times += alike.times
        return alike


def noise(line: Line) -> str:
    """The kind of noise that a line is: progress, nccl, ray, or "" when it is none."""
    head = line.text[:_HEAD_CHARS]
    if ("/s" in head or "%|" in head or "s/it" in head) and _PROGRESS.search(head):
        return "progress"
    if "NCCL " in head and _NCCL.search(head):
        return "nccl"
    if line.actor == "autoscaler" or head.startswith("Tip: use `ray status`"):
        return "ray"
    return ""


def fold_key(line: Line, kind: str) -> str:
    """What alike lines have in common."""
    if kind == "progress":
        return f"{line.actor}\0{_DIGITS.sub('', line.text.partition('%|')[0][:40])}"
    return f"{line.actor}\0{_STAMP.sub('', line.text[:_HEAD_CHARS], count=1)}{line.text[_HEAD_CHARS:]}"


def raw_key(raw: bytes) -> bytes:
    """What raw lines have in common that need to be read only once."""
    # Most lines have no time in them, and counting is ten times as fast as looking for one.
    return _RAW_STAMP.sub(b"", raw, count=1) if raw.count(b":") > 1 else raw
