"""How often the beginning of a log is said again, and whether each time it came to the same end.

Beginning    the first lines of a log, to know them again
cycles_of    where they stand again, and what stands before
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from liverl.log.seen import Met
from liverl.log.segments import cleaned
from liverl.log.sighting import LinePattern

KEY = "log:beginning"
# One line may be said again by every worker; so many in a row are a program that starts.
LINES = 5
_LOOK_BYTES, _LINE_BYTES = 8 << 10, 1 << 10
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[A-Za-z]{3,}")
_PATTERN_CHARS, _LONG_CHARS = 120, 400
# Metrics with a value, and nothing else: the lines of a row.
_MEASURE = r"[A-Za-z_][\w./@-]*+(?: [A-Za-z_][\w./@-]*+){0,3}\s*+[=:]\s*+-?0(?:\.0)?(?:e[-+]?0)?%?"
_MEASURED = re.compile(rf"[\s|,]*+{_MEASURE}(?:[\s|,;]++{_MEASURE})*+[\s|,;]*+")
# Who of Ray's processes says a line.
_PROCESS, _NAME_BYTES = re.compile(rb"(?:\x1b\[[0-9;]*m)*\([^()\n]{1,80} pid=\d+"), 128
# What a program says last when it fails; a warning that is repeated is none.
_FAILED = re.compile(
    r"fatal|error|exception|exit(?:ed|ing)? |denied|not found|no such file|failed|killed|abort|already exists|refused",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\bwarn", re.IGNORECASE)


@dataclass(frozen=True)
class Beginning:
    """The first lines that say something, their numbers left out; `key` is the one that is looked for, and
    `is_of_workers` whether Ray's processes say all of them."""

    lines: tuple[str, ...] = ()
    key: int = 0
    is_of_workers: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether there are lines enough to know it again."""
        return len(self.lines) >= LINES

    @property
    def pattern(self) -> LinePattern | None:
        """The line by which it is found; None where no line says anything, or all say the same: somebody waits."""
        if not self.is_whole or not _worth(self.lines[self.key]) or len(set(self.lines)) == 1:
            return None
        text = self.lines[self.key][:_PATTERN_CHARS]
        return LinePattern(KEY, r"^" + r"\d+".join(re.escape(part) for part in text.split("0")))


def beginning_of(head: bytes) -> Beginning:
    """The beginning of a log, from its first bytes."""
    raws = head[: head.rfind(b"\n") + 1].split(b"\n")
    lines = _said(raws, LINES)
    key = max(range(len(lines)), key=lambda at: _worth(lines[at]), default=0)
    return Beginning(tuple(lines), key, all(map(_PROCESS.match, raws[: len(lines)])))


def _worth(line: str) -> int:
    """How well a line is found again: by its longest words without a number. 0: a step or a table begins no program."""
    if len(line) > _LONG_CHARS or "step:" in line or _MEASURED.fullmatch(line):
        return 0
    return max(len("".join(_WORD.findall(part))) for part in line[:_PATTERN_CHARS].split("0"))


@dataclass(frozen=True)
class Cycles:
    """`numbers` are the lines with which the beginning is said (again), `ends` the last words before each but the
    first, and of the log."""

    numbers: tuple[int, ...] = ()
    ends: tuple[str, ...] = ()

    def restarts(self, steps: Sequence[int]) -> int:
        """How often the same beginning came to the same failing end, without a line of a step (ascending) between."""
        pairs = zip(self.numbers, (*self.numbers, 1 << 62)[1:], self.ends, strict=True)
        failed = [
            end
            for start, stop, end in pairs
            if bisect_left(steps, start) == bisect_left(steps, stop)
            and _FAILED.search(end)
            and not _WARNING.search(end)
        ]
        common = Counter(failed).most_common(1)
        return common[0][1] - 1 if common else 0


def cycles_of(descriptor: int, beginning: Beginning, met: Sequence[Met], last: str) -> Cycles:
    """Where a beginning is said, from the lines that may be its key; `last` is the last line of the log."""
    numbers: list[int] = []
    ends: list[str] = []
    begun: set[bytes] = set()
    for each in met:
        process = _PROCESS.match(os.pread(descriptor, _NAME_BYTES, each.offset))
        if beginning.is_of_workers and process and process.group() in begun:
            continue  # the same process says it again: it was not started again
        begun |= {process.group()} if process else set()
        before, after = _around(descriptor, each.offset)
        own = (*before[len(before) - beginning.key :], *after[: LINES - beginning.key])
        if len(before) < beginning.key or own != beginning.lines:
            continue
        if numbers:
            ends.append(before[-1 - beginning.key] if len(before) > beginning.key else "")
        numbers.append(each.number)
    return Cycles(tuple(numbers), (*ends, _normal(last))) if numbers else Cycles()


def _around(descriptor: int, offset: int) -> tuple[list[str], list[str]]:
    """The lines before an offset and those from it on, so many that a beginning can stand among them."""
    start = max(0, offset - _LOOK_BYTES)
    before = os.pread(descriptor, offset - start, start).split(b"\n")
    after = os.pread(descriptor, _LOOK_BYTES, offset).split(b"\n")
    return _said(reversed(before), LINES + 1)[::-1], _said(after, LINES)


def _said(lines: Iterable[bytes], most: int) -> list[str]:
    texts = (_normal(cleaned(raw[:_LINE_BYTES]).text) for raw in lines)
    return list(islice((text for text in texts if text), most))


def _normal(text: str) -> str:
    return _DIGITS.sub("0", text.strip())
