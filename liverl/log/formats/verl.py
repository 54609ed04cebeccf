"""verl's step lines: `step:7 - actor/entropy:0.3 - actor/lr:np.float64(1e-06)`, of every version, at 100 MB/s.

A line is made into JSON and decoded as that, which takes half the time of taking it apart; what that can't read is
taken apart.
"""

from __future__ import annotations

import re

import orjson

from liverl.log.formats.values import BEYOND, number

_STEP = re.compile(rb"(?<![\w/.])step:(-?\d{1,15}) - (?=[^\s:]{1,200}:)")
_ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_PIECE = re.compile(r"([^\s:][^\s]*?):(\S+)")
_FLOAT = b"np.float64("
_BEYOND = repr(BEYOND).encode()
_SPELT = (
    (b"np.float32(", b""), (b"np.int64(", b""), (b"np.int32(", b""), (b"np.bool_(", b""), (b"np.True_", b"true"),
    (b"np.False_", b"false"), (b":True", b":true"), (b":False", b":false"), (b":-inf", b":" + _BEYOND),
    (b":inf", b":" + _BEYOND), (b":nan", b":" + _BEYOND),
)  # fmt: skip
# A line that a terminal or a pager has broken: the rest of it looks like nothing but metrics.
_WORD = re.compile(rb"[\w./@+\-()%:,=]+")
_KEY_VALUE = re.compile(rb"[\w./@+-]+:[-+\w.(]")
# A line with a time or a speaker of its own is the rest of none.
_OWN = re.compile(rb"\[?20\d\d-\d\d-\d\d[T ]|\([A-Za-z_][\w.:-]{0,80} (?:pid|ip)=")


def find(raw: bytes) -> int:
    """Where a step line begins in a raw line, -1 where it holds none."""
    found = _STEP.search(raw)
    return found.start() if found else -1


def parse(text: bytes) -> tuple[int, dict[str, float]] | None:
    """The step and the metrics of a step line (from its `step:` on); None where it is none."""
    if b"\x1b" in text:
        text = _ANSI.sub(b"", text)
    row = _decoded(text.rstrip()) or _taken_apart(text)
    step = row.pop("step", None) if row else None
    if step is None or row is None or not row or not -(2**53) < step < 2**53:
        return None
    return int(step), row


def width_of(raw: bytes) -> int:
    """How many columns of a terminal a line takes."""
    return len(_ANSI.sub(b"", raw) if b"\x1b" in raw else raw)


def is_cut(names: tuple[str, ...], before: tuple[str, ...]) -> bool:
    """Whether a line ends in the middle of what the one before it told: then its last value may be half of one."""
    return len(names) < len(before) and before[: len(names)] == names


def continues(text: bytes, rest: bytes, width: int, is_known: bool) -> bool:
    """Whether a raw line is the rest of a step line that was broken at so many columns, perhaps (`is_known`) before."""
    rest = rest.strip()
    if not rest or len(rest) > width or _OWN.match(rest):
        return False
    # `training/global_step:7` and `timing_s/step:30.5` may be broken before their last word.
    if (at := find(rest)) >= 0 and (at or not text.endswith((b"_", b"/"))):
        return False
    if not all(_WORD.fullmatch(word) for word in rest.split(b" ")):
        return False
    return is_known or bool(_KEY_VALUE.search(rest))


def _decoded(text: bytes) -> dict[str, float] | None:
    """The line as one JSON object; None where it is not that regular."""
    if b"(" not in text:
        return _loaded(text) or _loaded(_as_numbers(text))
    # Blanks of the same length take half the time of taking it out; words are told by the colon before them.
    blanked = text.replace(_FLOAT, b" " * len(_FLOAT)).replace(b")", b" ")
    return _loaded(blanked) or _loaded(_as_numbers(text.replace(_FLOAT, b"").replace(b")", b"")))


def _as_numbers(text: bytes) -> bytes:
    """The line with every word that means a number, and every rarer wrapper of one, as JSON has it."""
    for spelt, value in _SPELT:
        if spelt in text:
            text = text.replace(spelt, value)
    return text


def _loaded(text: bytes) -> dict[str, float] | None:
    try:
        row = orjson.loads(b'{"' + text.replace(b" - ", b', "').replace(b":", b'":') + b"}")
    except ValueError:
        return None
    return row if isinstance(row, dict) and type(row.get("step")) is int else None


def _taken_apart(text: bytes) -> dict[str, float] | None:
    pieces = text.decode("utf-8", "replace").split(" - ")
    head = pieces[0].partition(":")[2]
    if not head.lstrip("-").isdigit():
        return None
    row: dict[str, float] = {"step": float(head)}
    for piece in pieces[1:]:
        key, colon, value = piece.strip().rpartition(":")
        if not colon or not key or " " in key:
            continue
        told = number(value.split(" ")[0] if value[:1] != " " else value)
        if told is not None:
            row[key] = told
    return row
