"""The lines of a part of a log that somebody wants, folded, and how far the look at it got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

from liverl.log.clean import Line, component_of, parse_line
from liverl.log.fold import Alike, Fold, Shown, raw_key
from liverl.log.pattern import Search, TookTooLong
from liverl.log.scan import Piece, backwards, forwards, line_start, next_line
from liverl.record.masking import mask

# Longer lines are steps and other tables, of which no two are alike.
_KEY_BYTES = 1024


@dataclass(frozen=True)
class Wish:
    """At most `lines`, of one component ("" any), that match a pattern ("" any); `is_raw` keeps the noise.

    `limit_bytes` is how much of the log is looked through, `most_bytes` how much while nothing is found.
    """

    lines: int
    limit_bytes: int
    most_bytes: int
    component: str = ""
    pattern: str = ""
    is_raw: bool = False


@dataclass(frozen=True)
class Selected:
    """Lines, oldest first; all of the log between `reached` and where the look began is accounted for.

    `stopped` says why the look ended before there were enough lines or no more of the log, "" where it didn't.
    """

    shown: list[Shown]
    reached: int
    stopped: str = ""
    folded: Counter[str] = field(default_factory=Counter)


def newest(descriptor: int, low: int, high: int, wish: Wish) -> Selected:
    """The newest wanted lines between two bytes; raises `TookTooLong` when the pattern gets nowhere."""
    found = _select(descriptor, low, high, wish, is_forward=False)
    return Selected(found.shown[::-1], found.reached, found.stopped, found.folded)


def oldest(descriptor: int, low: int, high: int, wish: Wish) -> Selected:
    """The oldest wanted lines between two bytes; raises `TookTooLong` when the pattern gets nowhere."""
    return _select(descriptor, low, high, wish, is_forward=True)


def is_by(component: str, raw: bytes) -> bool:
    """Whether a line of the common log is a component's; "" is any."""
    if component == "litellm":  # of a run whose LiteLLM has no log of its own
        return b"litellm" in raw.lower()
    return not component or component_of(raw) == component


def _select(descriptor: int, low: int, high: int, wish: Wish, *, is_forward: bool) -> Selected:
    fold, reached, stopped = Fold(wish.is_raw), low if is_forward else high, ""
    begin = reached
    bounds = _bounded(descriptor, low, high, wish.most_bytes, is_forward)
    with Search(wish.pattern) if wish.pattern else nullcontext() as search:
        walk = forwards if is_forward else backwards
        for piece in walk(descriptor, *bounds, search.word if search else b""):
            try:
                enough = _take(fold, piece, wish, search, is_forward)
            except TookTooLong:
                if reached == begin:
                    raise
                stopped = "the pattern took too long for more"
                break
            if enough is not None:
                return Selected(fold.shown, enough, "", fold.folded)
            reached = piece.end if is_forward else piece.start
            if fold.shown and abs(reached - begin) >= wish.limit_bytes:
                break
    if not stopped and reached != (high if is_forward else low):
        stopped = f"only {abs(reached - begin) / 2**20:.2g} MB were looked through"
    return Selected(fold.shown, reached, stopped, fold.folded)


def _bounded(descriptor: int, low: int, high: int, limit_bytes: int, is_forward: bool) -> tuple[int, int]:
    """The part of a log that is looked through at most, from line to line."""
    if high - low <= limit_bytes:
        return low, high
    if is_forward:
        end = line_start(descriptor, low + limit_bytes)
        return low, end if end > low else low + limit_bytes
    start = next_line(descriptor, high - limit_bytes)
    return (start if start < high else high - limit_bytes), high


def _take(fold: Fold, piece: Piece, wish: Wish, search: Search | None, is_forward: bool) -> int | None:
    """Fold a piece's lines in; where the look got to when there are enough, else None."""
    ordered = piece.lines if is_forward else piece.lines[::-1]
    meant = [(at, raw) for at, raw in ordered if is_by(wish.component, raw)]
    for at, raw in _added(fold, _matching(meant, search)) if search else _read(fold, meant):
        if len(fold.shown) >= wish.lines:
            return min(piece.end, at + len(raw) + 1) if is_forward else at
    return None


def _read(fold: Fold, meant: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Add the lines to a fold; most of a log are lines just like others, which are read only once."""
    known: dict[bytes, Alike] = {}
    for at, raw in meant:
        key = raw_key(raw) if len(raw) <= _KEY_BYTES and not fold.is_raw else b""
        alike = known.get(key)
        if alike is not None:
            fold.again(alike)
        else:
            alike = fold.add(at, _masked(raw))
            if key and alike is not None:
                known[key] = alike
        yield at, raw


def _added(fold: Fold, matching: Iterable[tuple[int, bytes, Line, int]]) -> Iterator[tuple[int, bytes]]:
    for at, raw, line, match in matching:
        fold.add(at, line, match)
        yield at, raw


def _matching(meant: list[tuple[int, bytes]], search: Search) -> Iterator[tuple[int, bytes, Line, int]]:
    search.check_time()
    lines = [_masked(raw) for _, raw in meant]
    starts = search.starts([line.shown for line in lines])
    for (at, raw), line, start in zip(meant, lines, starts, strict=True):
        if start >= 0:
            yield at, raw, line, start


def _masked(raw: bytes) -> Line:
    line = parse_line(raw)
    return line._replace(text=mask(line.text))
