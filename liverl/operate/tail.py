"""The lines of a run's log that are asked for, cleaned and bounded, always with the way on.

tail     one answer
follow   the lines as they come, until the run ends
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from liverl.errors import RunError
from liverl.log.clean import Line
from liverl.log.fold import Shown, fold_key, noise
from liverl.log.growing import open_log
from liverl.log.index import index_of
from liverl.log.pattern import TookTooLong
from liverl.log.scan import line_start
from liverl.log.select import Selected, Wish, newest, oldest
from liverl.operate.cursor import BEFORE, FROM, SINCE, Cursor, bad_cursor, read_cursor, write_cursor
from liverl.operate.excerpt import MOST_LINES, Tail, Wanted, fitting, line_text
from liverl.operate.logfile import LogFile, check_component, has_steps, is_of_trial, log_file, marked_file
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.run.liveness import read_liveness

__all__ = ["Tail", "Wanted", "follow", "tail"]

# How much of a log one call looks through, and how much while it finds nothing: as it is, for one component, for a
# pattern. It costs 2 ms where 90 kB of lines have to be read one by one, a tenth of a second for 64 MB without a match.
_PLAIN_BYTES = (80 << 10, 1 << 20)
_COMPONENT_BYTES = (420 << 10, 4 << 20)
_PATTERN_BYTES = (64 << 20, 64 << 20)
# A log so small is indexed in a hundredth of a second, only to tell its lines' numbers.
_NUMBERED_BYTES = 8 << 20
# Who follows a log is not told again what is like one of so many lines before.
_RECENT_LINES = 100


def tail(run: RunDir, wanted: Wanted) -> Tail:
    """The wanted lines, always few; raises `RunError` for a wrong cursor, pattern, component, trial or step."""
    check_component(wanted.component)
    wanted = replace(wanted, lines=max(1, min(wanted.lines, MOST_LINES)))
    file, place = _place(run, wanted)
    descriptor = open_log(file.path)
    if descriptor is None:
        return Tail(run.name, str(file.path), (), note="there is none yet", options=wanted.options)
    try:
        return _read(run, wanted, file, place, descriptor)
    except TookTooLong:
        raise _slow(wanted) from None
    finally:
        os.close(descriptor)


def follow(run: RunDir, wanted: Wanted, interval_s: float = 0.5) -> Iterator[str]:
    """The wanted lines, then those that come, until the run has ended; goes over to a resumed run's next log."""
    first = tail(run, wanted)
    yield from first.lines
    attempt, offset = max(1, newest_attempt(run)), 0
    file = log_file(run, attempt, wanted.component)
    if first.cursor:
        place = read_cursor(run, first.cursor)
        attempt, offset = place.attempt, place.offset
        file = marked_file(run, attempt, wanted.component, place.file) or file
    news = _News(first.lines)
    while True:
        is_over = _is_over(run)
        shown, reached = _grown(file, offset, wanted, is_over)
        yield from (line_text(line) for line in shown if wanted.raw or news.is_new(line.text))
        has_more, offset = reached > offset, reached
        if has_more:
            continue
        if attempt < newest_attempt(run) and not is_of_trial(wanted.component):
            attempt, offset = attempt + 1, 0
            file = log_file(run, attempt, wanted.component)
            yield f"── attempt {attempt}"
        elif is_over:
            return
        else:
            time.sleep(interval_s)


def _is_over(run: RunDir) -> bool:
    """Whether no more lines will come; not while a record can't be read, or a run not be reached, for a moment."""
    try:
        state = read_liveness(run)
    except RunError:
        return not run.run_json.exists()
    return not state.is_live and state.state != "unreachable"


class _News:
    """Which lines are not like one that was told just now."""

    def __init__(self, told: tuple[str, ...]) -> None:
        self._keys: OrderedDict[str, None] = OrderedDict()
        for text in told:
            self.is_new(text)

    def is_new(self, text: str) -> bool:
        line = Line("", text)
        key = fold_key(line, noise(line))
        is_new = key not in self._keys
        self._keys[key] = None
        self._keys.move_to_end(key)
        if len(self._keys) > _RECENT_LINES:
            self._keys.popitem(last=False)
        return is_new


def _grown(file: LogFile, offset: int, wanted: Wanted, is_over: bool) -> tuple[list[Shown], int]:
    """The lines that a file has from a byte on, whole ones while the run lives, and where the next begin."""
    descriptor = open_log(file.path)
    if descriptor is None:
        return [], offset
    try:
        size = os.fstat(descriptor).st_size
        low = 0 if offset > size else line_start(descriptor, offset) if 0 < offset < size else offset
        high = size if is_over else line_start(descriptor, size)
        if high <= max(low, offset if low else 0):
            return [], offset if low else low
        found = oldest(descriptor, low, high, replace(_wish(wanted, file), lines=1000))
        return found.shown, found.reached
    except TookTooLong:
        raise _slow(wanted) from None
    finally:
        os.close(descriptor)


def _place(run: RunDir, wanted: Wanted) -> tuple[LogFile, Cursor]:
    """The file, and from where in which direction."""
    last = max(1, newest_attempt(run))
    if wanted.cursor:
        return _cursor_place(run, wanted, last)
    if wanted.step is not None:
        return _step_place(run, wanted.step, wanted.component, last)
    file = log_file(run, last, wanted.component)
    return file, Cursor(BEFORE, last, file.mark, _size(file))


def _cursor_place(run: RunDir, wanted: Wanted, last: int) -> tuple[LogFile, Cursor]:
    """Where a cursor stands; one at the end of an old attempt's log leads to the next attempt's."""
    cursor = read_cursor(run, wanted.cursor)
    file = marked_file(run, cursor.attempt, wanted.component, cursor.file)
    if file is None or cursor.attempt > last:
        raise bad_cursor(run, wanted.cursor, f"it is not of component {wanted.component}")
    is_read = cursor.direction != BEFORE and _size(file) <= cursor.offset
    if is_read and cursor.attempt < last and not is_of_trial(wanted.component):
        file = log_file(run, cursor.attempt + 1, wanted.component)
        cursor = Cursor(cursor.direction, cursor.attempt + 1, file.mark, 0)
    return file, cursor


def _step_place(run: RunDir, step: int, component: str, last: int) -> tuple[LogFile, Cursor]:
    seen = []
    for attempt in range(last, 0, -1) if has_steps(component) else ():
        file = log_file(run, attempt, component)
        index = index_of(file.path)
        index.update()
        offset = index.offset_of_step(step)
        if offset is not None:
            return file, Cursor(FROM, attempt, file.mark, offset)
        if index.step_range is not None:
            seen.append(f"attempt {attempt} has the steps {index.step_range[0]} to {index.step_range[1]}")
    raise RunError(
        "log.no_step",
        f"There is no line of step {step}.",
        evidence="; ".join(seen[:4]) or f"no step is in the log of component {component[:60]}",
        next_action=f"liverl logs {run.name}",
    )


def _read(run: RunDir, wanted: Wanted, file: LogFile, place: Cursor, descriptor: int) -> Tail:
    size = os.fstat(descriptor).st_size
    note = "it is empty" if not size else "it was begun anew" if place.offset > size else ""
    if place.offset > size:
        place = replace(place, direction=SINCE, offset=0)

    def write(direction: str, offset: int) -> str:
        return write_cursor(run, Cursor(direction, place.attempt, file.mark, offset))

    made = Tail(run.name, str(file.path), (), cursor=write(SINCE, size), note=note, options=wanted.options)
    if place.direction == FROM:
        found = oldest(descriptor, place.offset, size, _wish(wanted, file))
        kept = fitting(made, wanted, found.shown)
        reached = found.reached if len(kept) == len(found.shown) else found.shown[len(kept)].offset
        cursor = write(FROM, reached) if reached < size else made.cursor
        return _told(made, found, kept, cursor, write(BEFORE, place.offset) if place.offset else "")
    low, high = _span(descriptor, place, size)
    found = newest(descriptor, low, high, _wish(wanted, file))
    kept = fitting(made, wanted, found.shown[::-1])[::-1]
    reached = found.reached if len(kept) == len(found.shown) else kept[0].offset
    # After an older page comes what the caller has seen already.
    cursor = made.cursor if high == size else write(FROM, high)
    return _told(made, found, kept, cursor, write(BEFORE, reached) if reached > low else "")


def _span(descriptor: int, place: Cursor, size: int) -> tuple[int, int]:
    if place.direction == BEFORE:
        return 0, place.offset
    # A cursor may stand in a line that was not whole then; it is told again, whole.
    is_within = 0 < place.offset < size
    return (line_start(descriptor, place.offset) if is_within else place.offset), size


def _told(made: Tail, found: Selected, kept: list[Shown], cursor: str, earlier: str) -> Tail:
    left_out = len(found.shown) - len(kept)
    said = [found.stopped, f"{left_out} more lines would not fit" if left_out else ""]
    return replace(
        made,
        lines=tuple(line_text(shown) for shown in kept),
        first_line=_number(Path(made.log), kept[0].offset) if kept else None,
        cursor=cursor,
        earlier=earlier,
        truncated="; ".join(filter(None, said)),
        collapsed=dict(found.folded),
    )


def _wish(wanted: Wanted, file: LogFile) -> Wish:
    limit = _PATTERN_BYTES if wanted.pattern else _COMPONENT_BYTES if file.only else _PLAIN_BYTES
    return Wish(wanted.lines, *limit, file.only, wanted.pattern, wanted.raw)


def _number(log: Path, offset: int) -> int | None:
    index = index_of(log)
    if not index.size and _bytes_of(log) > _NUMBERED_BYTES:
        return None
    index.update()
    return index.line_at(offset)


def _size(file: LogFile) -> int:
    return _bytes_of(file.path)


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _slow(wanted: Wanted) -> RunError:
    return RunError(
        "log.slow_pattern",
        "The pattern takes too long to match.",
        evidence=f"{wanted.pattern[:80]!r} did not get through one part of the log in 2 s",
        next_action="search for a plain word of it",
    )
