"""A short excerpt as somebody pasted it, its lines as the program had printed them.

as_printed   without marks of quotation, moved back to the margin, joined where a terminal had wrapped them, and with an
             exception alone where it stood in a sentence; every line stays at its number
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

# A longer text is a log, and no excerpt of one.
MOST_BYTES = 64 << 10
# Of so few lines a sentence may be one of them.
_FEW_LINES = 40
# A step's pairs on lines of their own: the last one of a line is whole, and another begins the next.
_WHOLE_PAIR = re.compile(r"(?:^| - )[^:\s]+:-?\d+(?:\.\d+)?$")
_PAIR = re.compile(r"\s*[A-Za-z_][\w-]*/[^:\s]+:\S")
_NARROWEST, _WIDEST, _FULL_LINES = 60, 400, 2

_QUOTED = re.compile(r" {0,3}>(?!>> )(?: ?>){0,3} ?")
_PRINTED = re.compile(r"[\[(│]|Traceback \(most|File \"|(?:[a-z_]\w*\.)*[A-Z]\w+(?:Error|Exception)\b")
_EXCEPTION = r"(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)"
# A line that begins anew, or says when it was told, is no other's rest.
_ANEW = re.compile(
    r"[^\n]{0,40}?\b\d\d:\d\d:\d\d\b|\s*(?:File \"|Traceback \(most|[\[({│|>`#*]|20\d\d-\d\d|\d\d[:-]\d\d[ :-]|frame #|"
    r"(?:ERROR|INFO|WARNING|DEBUG|CRITICAL)\b|"
    rf"{_EXCEPTION}\b:|Exception raised|During handling|The above exception|step[: ]|[Ee]poch\b|\S{{1,30}}%\|)"
)
# What a key is broken behind.
_WITHIN = "_/="
# A row's name and its numbers; the words of a line.
_COLUMNS = re.compile(r"\s*(?:\S{1,60}\s+)?(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?%?\s+){3}")
_NAME = re.compile(r"[A-Za-z_][\w./]{2,60}")
_FEW_NAMES = 3
_BORDER = "│|┃╮╯┐┘─━-=+*~^"
# `KeyError: 'prompt'` within a sentence, as code or as a quotation. A mere name as a value of JSON is its `type`.
_SPAN = re.compile(
    rf"(?!(?<=\":)\"\w+\")(?!(?<=\": )\"\w+\")"
    rf"(?P<mark>`{{1,3}}|\")(?P<said>{_EXCEPTION}(?::[^`\n]*?\S)?) ?(?P=mark)(?![\w'])"
)
# "Bug: ", "报错：" before an exception.
_NAMED = re.compile(
    rf"\s*(?:[\[【]?(?i:bug|error|issue|question|help|err)[\]】]?|[^\x00-\x7f]{{1,24}}) ?[:：] ?(?={_EXCEPTION}:)"
)
# What an editor shows of it: the name, and on the next line what it says.
_SHOWN = re.compile(rf"\W{{0,2}}(?:Exception has occurred|发生异常) ?[:：] ?(?P<name>{_EXCEPTION})\b")
_BOLD = re.compile(r"(?<!\*)\*\*(?=[^\s*])([^*\n]{1,80}?)(?<=[^\s*])\*\*(?!\*)")
# The statement that raises, as a traceback shows it.
_RAISES = re.compile(rf"\s+raise (?P<name>{_EXCEPTION})\($")
_RAISED = re.compile(
    rf"\s*raise (?P<name>{_EXCEPTION})\(\s*"
    r"(?P<text>[rfbu]{0,2}(?P<quote>[\"']).{3,400}?(?:(?P=quote)\s*[),]?\s*|$))$"
)
_ENDS = re.compile(rf"(?:\[rank\d+\]:? ?|\S{{0,60}}[\])] ?)?(?!\S*RayTaskError){_EXCEPTION}(?::|\s*$)")
_TEXT = re.compile(r"[rfbu]{0,2}([\"'])(.*?)(?:\1\s*[),]?\s*)?$")


def as_printed(text: bytes) -> bytes | None:
    """The text of an excerpt as it was printed; None where it is as it was, or is no excerpt."""
    if len(text) > MOST_BYTES or b"\0" in text:
        return None
    given = text.decode("utf-8", "surrogateescape").split("\n")
    lines = _joined(_moved_back(_unquoted(given)))
    if sum(1 for line in lines if line.strip()) <= _FEW_LINES:
        lines = _raised(_named([_alone(line) for line in lines]))
    return None if lines == given else "\n".join(lines).encode("utf-8", "surrogateescape")


def _unquoted(lines: Sequence[str]) -> list[str]:
    """The lines without the marks of a quotation: all where most have them, else where something printed follows."""
    said = [line for line in lines if line.strip()]
    marked = sum(1 for line in said if _QUOTED.match(line))
    are_most = marked * 2 > len(said)

    def own(line: str) -> str:
        found = _QUOTED.match(line)
        if found is None or not (are_most or _PRINTED.match(line, found.end())):
            return line
        return line[found.end() :]

    return [own(line) for line in lines] if marked else list(lines)


def _moved_back(lines: Sequence[str]) -> list[str]:
    """The lines without the space that all of them begin with."""
    said = [line for line in lines if line.strip()]
    space = min((len(line) - len(line.lstrip(" ")) for line in said), default=0)
    return [line[space:] for line in lines] if space and len(said) > 1 else list(lines)


def _joined(lines: Sequence[str]) -> list[str]:
    """The lines with their rests, which a terminal had put below them; blank lines in the place of those."""
    width = max(map(len, lines), default=0)
    if not _NARROWEST <= width <= _WIDEST:
        return list(lines)
    goes_on = [_goes_on(line, below, width) for line, below in pairwise(lines)]
    full = sum(1 for at, on in enumerate(goes_on) if on and len(lines[at]) == width)
    torn = any(
        on and lines[at][-1:].isalnum() and lines[at + 1][:1].islower() for at, on in enumerate(goes_on)
    )
    if full < _FULL_LINES or not torn:
        return list(lines)
    joined, first = list(lines), 0
    for at, on in enumerate(goes_on):
        if not on:
            first = at + 1
            continue
        gap = "" if len(lines[at]) == width else " "
        joined[first] += gap + lines[at + 1]
        joined[at + 1] = ""
    return joined


def _goes_on(line: str, below: str, width: int) -> bool:
    """Whether a line fills the width, and the next one is its rest: it lost no more than the space at its end."""
    if len(line) < width - 1 or not below.strip() or _ends_box(line) or _are_rows(line, below):
        return False
    if _WHOLE_PAIR.search(line) and _PAIR.match(below):
        return False
    if len(line) == width and line[-1:] in _WITHIN:
        return True
    return _ANEW.match(below) is None and below[:6] != line[:6]


def _ends_box(line: str) -> bool:
    """Whether a line ends as one of a frame does; a lonely dash stands between the pairs of a row."""
    return line[-1:] in _BORDER and not line.endswith(" -")


def _are_rows(line: str, below: str) -> bool:
    """Whether two lines tell the same metrics, or are lines of one table: rows are long, and no rests."""
    if _COLUMNS.match(line) and _COLUMNS.match(below):
        return True
    names, again = set(_NAME.findall(line)), set(_NAME.findall(below))
    return len(names & again) >= max(_FEW_NAMES, len(again) / 2)


def _alone(line: str) -> str:
    """The exception that a sentence speaks of; the line where it speaks of none."""
    if "**" in line:
        line = _BOLD.sub(r"\1", line)
    if (named := _NAMED.match(line)) is not None:
        return line[named.end() :]
    if ("`" in line or '"' in line) and (found := _SPAN.search(line)) is not None:
        return found["said"]
    return line


def _named(lines: list[str]) -> list[str]:
    """The lines with the exception that an editor shows on two of them."""
    for at, (line, below) in enumerate(pairwise(lines)):
        if (shown := _SHOWN.match(line)) is not None and below.strip() and "File " not in below:
            told = ["Traceback (most recent call last):", f"{shown['name']}: {below.strip()}"]
            return [*lines[:at], *told, *lines[at + 2 :]]
    return lines


def _raised(lines: list[str]) -> list[str]:
    """The lines with the exception that a traceback was going to end with, where it was cut at what raises it."""
    if any(_ENDS.match(line) for line in lines):
        return lines
    for at in range(len(lines) - 1, -1, -1):
        if (found := _RAISED.match(lines[at])) is not None:
            return [*lines[:at], f"{found['name']}: {_said(found['text'])}", *lines[at + 1 :]]
        below = lines[at + 1].strip() if at + 1 < len(lines) else ""
        if (opened := _RAISES.match(lines[at])) is not None and _TEXT.match(below):
            return [*lines[: at + 1], f"{opened['name']}: {_said(below)}", *lines[at + 2 :]]
    return lines


def _said(text: str) -> str:
    found = _TEXT.match(text)
    return found[2] if found is not None else text
