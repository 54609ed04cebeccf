"""Python's chains of exceptions: which of them ended the program, and which were only being handled.

Behind "The above exception was the direct cause" stands what was made of an exception: the first one is the cause.
Behind "During handling of the above exception" stands another one, which ended the program: the first was handled,
unless the other one came from tidying up. What Python calls ignored ended nothing: a destructor or callback raised it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

# Printed by who goes on: a destructor, the logging module, a Ray worker whose figures nobody collects.
IGNORED = ("Exception ignored ", "--- Logging error ---", "register actor to metric agent")
DURING = "During handling of the above exception"
_CAUSED = "The above exception was the direct cause"
_TRACEBACK = "Traceback (most recent call last)"
_FRAME = re.compile(r"^\s*File \"[^\"]+\", line \d+, in (\S+)")
# What tidies up after an exception fails by it too.
_TIDYING = re.compile(
    r"^(?:_*(?:async_|a)?(?:close|shutdown|cleanup|clean_up|stop|finish|teardown|terminate|release|destroy)\w*|"
    r"__a?exit__|__del__)$"
)
# A message may have lines of its own before the chain goes on.
_MESSAGE_LINES, _MOST_LINKS = 16, 8


def is_superseded(below: Sequence[str], is_telling: Callable[[str], bool]) -> bool:
    """Whether the exception above these lines was only being handled when another one ended the program.

    `is_telling` says whether a line names an exception that is worth telling, with what it says.
    """
    at = 0
    for _ in range(_MOST_LINKS):
        link = next((place for place in range(at, min(len(below), at + _MESSAGE_LINES))
                     if below[place].startswith((DURING, _CAUSED, _TRACEBACK))), None)  # fmt: skip
        if link is None or below[link].startswith(_TRACEBACK):
            return False
        frames, at = _frames(below, link + 1)
        if at >= len(below):
            return False
        is_tidying = any(_TIDYING.match(name) for name in frames)
        if below[link].startswith(DURING) and not is_tidying and is_telling(below[at]):
            return True
        at += 1
    return False


def is_ignored(above: Sequence[str]) -> bool:
    """Whether the exception below these lines is one that Python only prints and goes on."""
    lines = [line for line in above if line.strip()]
    while lines:
        while lines and lines[-1].startswith((" ", "\t")):
            lines.pop()
        if lines and lines[-1].startswith(_TRACEBACK):
            lines.pop()
        if not lines or not lines[-1].startswith((DURING, _CAUSED)):
            break
        # The exception that this one came of, whose message may have lines of its own.
        lines.pop()
        while lines and not lines[-1].startswith((" ", "\t")):
            lines.pop()
    return bool(lines) and any(word in lines[-1] for word in IGNORED)


def _frames(lines: Sequence[str], start: int) -> tuple[list[str], int]:
    """The functions of a traceback's frames, and where the line behind them stands that names its exception."""
    names: list[str] = []
    for at in range(start, len(lines)):
        line = lines[at]
        if found := _FRAME.match(line):
            names.append(found.group(1))
        elif names and line.strip() and not line.startswith((" ", "\t")):
            return names, at
    return names, len(lines)
