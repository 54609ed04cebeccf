"""Lines that match a regular expression, in bounded time whatever the expression and the lines are.

Python's matcher can't be interrupted and may take exponential time. So an expression that may repeat more than once
in a way that backtracks is tried in a process of its own, which is killed when its time is over.
"""

from __future__ import annotations

import json
import math
import os
import re
import select
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from re import _constants as _sre  # type: ignore[attr-defined]
from re import _parser as _sre_parser  # type: ignore[attr-defined]
from types import TracebackType
from typing import Any

from liverl.errors import RunError

LIMIT_S = 2.0
_LONGEST_CHARS = 500
# A repeat of so few is a choice among so many fixed texts.
_FEW = 8
# What a line of 16 kB takes at most stays under about a second: 16 k beginnings in so many ways, with one open repeat
# each of them again 16 k long.
_MANY_WAYS, _FEW_WAYS = 1024, 4
_WORD = re.compile(r"[A-Za-z0-9_]{2,}")
_CHILD = """
import json, re, sys
pattern = re.compile(json.loads(sys.stdin.buffer.readline()))
while head := sys.stdin.buffer.readline():
    lines = json.loads(sys.stdin.buffer.read(int(head)))
    found = [m.start() if (m := pattern.search(line)) else -1 for line in lines]
    sys.stdout.buffer.write(json.dumps(found).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""


class TookTooLong(Exception):
    """The time for a search is over."""


class Search:
    """One search through many lines, in at most `limit_s` altogether; a context manager.

    Raises `RunError` when the expression is none.
    """

    def __init__(self, pattern: str, limit_s: float = LIMIT_S) -> None:
        self._pattern, parsed = compiled(pattern)
        self.word = required_word(parsed, self._pattern.flags)
        self._is_quick = backtracks_little(parsed)
        self._deadline = time.monotonic() + limit_s
        self._child: subprocess.Popen[bytes] | None = None

    def starts(self, lines: Sequence[str]) -> list[int]:
        """Where in each line the expression matches first, -1 where it doesn't; raises `TookTooLong`."""
        if not lines:
            return []
        return self._here(lines) if self._is_quick else self._apart(lines)

    def check_time(self) -> None:
        """Raises `TookTooLong` when it is over."""
        if time.monotonic() > self._deadline:
            raise TookTooLong

    def __enter__(self) -> Search:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()

    def _here(self, lines: Sequence[str]) -> list[int]:
        found = []
        for line in lines:
            self.check_time()
            match = self._pattern.search(line)
            found.append(match.start() if match else -1)
        return found

    def _apart(self, lines: Sequence[str]) -> list[int]:
        try:
            child = self._child = self._child or self._start()
            assert child.stdin is not None and child.stdout is not None
            sent = json.dumps(list(lines)).encode()
            # The child reads all before it writes, and its answer is taken as it comes.
            child.stdin.write(b"%d\n%s" % (len(sent), sent))
            child.stdin.flush()
        except OSError:
            raise TookTooLong from None  # it can't be started, or was killed from outside
        answer = bytearray()
        while not answer.endswith(b"\n"):
            self.check_time()
            ready, _, _ = select.select([child.stdout], [], [], max(0.0, self._deadline - time.monotonic()))
            if ready:
                got = os.read(child.stdout.fileno(), 1 << 16)
                if not got:
                    raise TookTooLong
                answer += got
        return [int(start) for start in json.loads(answer)]

    def _start(self) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert child.stdin is not None
        child.stdin.write(json.dumps(self._pattern.pattern).encode() + b"\n")
        return child


def compiled(pattern: str) -> tuple[re.Pattern[str], Any]:
    """The expression, and its parts; raises `RunError` when it is none."""
    try:
        if len(pattern) > _LONGEST_CHARS:
            raise ValueError(f"longer than {_LONGEST_CHARS} characters")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern), _sre_parser.parse(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as cause:
        raise RunError(
            "log.bad_pattern",
            "The pattern is no regular expression.",
            evidence=f"{pattern[:80]!r}: {cause}",
            next_action="put a backslash before each of . * + ? ( ) [ ] { } | that is meant as it stands",
        ) from None


def required_word(parsed: Any, flags: int) -> bytes:
    """The longest word that every match holds, so that lines without it need not be looked at; b"" without one."""
    if flags & re.IGNORECASE:
        return b""
    literals = "".join(
        chr(value) if name is _sre.LITERAL and value < 128 else " " for name, value in _top_level(parsed)
    )
    return max(_WORD.findall(literals), key=len, default="").encode()


def backtracks_little(parsed: Any) -> bool:
    """Whether a search takes at most about the square of a line's length: one open repeat, few ways to match."""
    repeats, ways = _choices(parsed)
    return ways <= (_FEW_WAYS if repeats else _MANY_WAYS) and repeats <= 1


def _top_level(parsed: Any) -> Iterable[tuple[Any, Any]]:
    for name, value in parsed:
        if name is _sre.SUBPATTERN:
            if value[1] == value[2] == 0:  # without flags of its own
                yield from _top_level(value[3])
            else:
                yield name, None
        else:
            yield name, value


def _choices(parsed: Any) -> tuple[int, float]:
    """How many repeats are open, and in how many ways the rest may match one text; infinite where both meet."""
    repeats, ways = 0, 1.0
    for name, value in parsed:
        if name in (_sre.MAX_REPEAT, _sre.MIN_REPEAT, _sre.POSSESSIVE_REPEAT):
            low, high, inner = value
            inner_repeats, inner_ways = _choices(inner)
            if high <= _FEW:
                repeats += inner_repeats * int(high)
                ways *= (int(high) - int(low) + 1) * inner_ways ** int(high)
            elif inner_repeats or inner_ways > 1:
                ways = math.inf
            else:
                repeats += 1
        elif name in (_sre.SUBPATTERN, _sre.BRANCH):
            branches = [_choices(part) for part in (value[1] if name is _sre.BRANCH else [value[3]])]
            repeats += max(branch_repeats for branch_repeats, _ in branches)
            ways *= sum(branch_ways for _, branch_ways in branches)
        elif name in (_sre.ASSERT, _sre.ASSERT_NOT, _sre.GROUPREF, _sre.GROUPREF_EXISTS, _sre.ATOMIC_GROUP):
            ways = math.inf
    return repeats, ways
