"""Reads what a file tells of a run in one pass: steps, lines looked for, facts; of a growing file only what is new.

A file of metrics (jsonl, csv, trainer_state, a summary) is read by `liverl.log.formats`. Raises `LiveRLError` (log.*)
where nothing can be read.
"""

from __future__ import annotations

import copy
import os
import re
from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from liverl.errors import RunError
from liverl.log.beginnings import KEY, Cycles, beginning_of, cycles_of
from liverl.log.blocks import Block, Blocks
from liverl.log.collected import MOST_BYTES as COLLECTED_BYTES
from liverl.log.collected import mending, told_by
from liverl.log.fedlines import STEP_BYTES
from liverl.log.forensics import PATTERNS, Evidence, ahead, facts_of
from liverl.log.formats.detect import HEAD_BYTES, detect, encoding_of
from liverl.log.formats.encoded import plain_bytes
from liverl.log.formats.steps import StepLines
from liverl.log.formats.tables import KINDS, Table
from liverl.log.formats.written import MOST_BYTES as WRITTEN_BYTES
from liverl.log.formats.written import written_series
from liverl.log.garbled import MOST_LINES as GARBLED_LINES
from liverl.log.garbled import garbled
from liverl.log.growing import Mark, mark
from liverl.log.nearby import last_lines
from liverl.log.passed import Marks, marks_of, trains
from liverl.log.pasted import MOST_BYTES as PASTED_BYTES
from liverl.log.pasted import as_printed
from liverl.log.planned import HEAD_BYTES as PLAN_BYTES
from liverl.log.planned import plan_of
from liverl.log.returns import with_feeds
from liverl.log.samples import without_samples
from liverl.log.scanner import Scanner
from liverl.log.seen import MOST_TRIED
from liverl.log.series import Series
from liverl.log.settings import HEAD_BYTES as SETTINGS_BYTES
from liverl.log.settings import configured_in, settings_of
from liverl.log.sighting import LONG_LINES, LinePattern, Sighting
from liverl.log.sightings import SLOW_LINES, Moment, Sighter
from liverl.log.source import kept, opened, unpacked, unreadable
from liverl.log.told import Told

# The steps of a larger log are not copied for a line at its end that has not ended yet.
_MOST_COPIED_BYTES = 32 << 20
# A document as somebody writes it down, the keys under which it says what went wrong, and any words in it.
_NOTE_BYTES, _SHORT_BYTES = 16_384, 2048
# More than an excerpt has: what is only looked for in those isn't looked for in it.
_BRIEF_BYTES = 4 << 20
# Fewer rows beside the one that a program told are no table.
_TABLE_ROWS = 3
# Below a table what a program said last.
_ENDED_BADLY = re.compile(rb"^[^\n]{0,200}(?:Error|Exception)\b(?!,)[^\n]{0,3}:? ", re.MULTILINE)
_SAID = re.compile(
    rb'"\w*(?:error|exception|reason|stderr|traceback|stop_reason|fail|oom|killed)\w*"\s*:'
    rb'|[:\[,]\s*"[^"\n]{0,200}[A-Za-z\x80-\xff][^"\n]{8}',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _SetUp:
    """What the first bytes of a log, `until` which they were read, tell of how it was set up."""

    until: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    configured: Mapping[str, str] = field(default_factory=dict)


class Reader:
    """A file, the lines looked for in it, and the metrics worth keeping (None: all of them)."""

    def __init__(
        self, path: Path, patterns: Sequence[LinePattern], wanted: Collection[str] | None = None
    ) -> None:
        self.path = path
        self._patterns = (*patterns, *PATTERNS)
        self._wanted = None if wanted is None else frozenset(wanted)
        self._mark: Mark | None = None
        self._told: Told | None = None
        self._table: Table | None = None
        self._kind = ""
        self._is_whole = False
        self._is_cut = False
        self._search = ""

    @property
    def search(self) -> str:
        """How the lines were found: by `hyperscan`, or by `numpy` where that is missing (more than ten times slower);
        "" where no log was searched."""
        return self._search

    def read(self) -> Told:
        """All that the file has told until now; a file that was truncated or replaced is read anew.

        Of a file that has vanished since the last look the last answer is given again.
        """
        try:
            descriptor = opened(self.path)
        except RunError as error:
            if error.code == "log.missing" and self._told is not None:
                return self._told
            raise
        try:
            self._told = self._read(descriptor)
        except OSError as error:
            raise unreadable(self.path, error) from None
        finally:
            os.close(descriptor)
        return self._told

    def _begin(self, head: bytes, size: int) -> None:
        is_long = size > _BRIEF_BYTES or head.count(b"\n") >= LONG_LINES
        self._beginning = beginning_of(head)
        known = self._beginning.pattern
        self._blocks = Blocks()
        self._steps = StepLines(self._wanted)
        asked = tuple(each for each in self._patterns if not (is_long and each.is_brief))
        own = (known,) if known else ()
        # A long log is worth a search prepared for it alone.
        asked, own = ((*asked, *own), ()) if size > _BRIEF_BYTES else (asked, own)
        self._scanner = Scanner(asked, self._steps, {KEY: MOST_TRIED}, own)
        self._sighter = Sighter(self._scanner)
        self._search = self._scanner.matcher.name
        self._set_up = _SetUp()

    def _read(self, descriptor: int) -> Told:
        now = mark(descriptor)
        head = os.pread(descriptor, HEAD_BYTES, 0)
        is_packed = bool(encoding_of(head)) and not head.startswith(BOM_UTF8)
        kind = detect(plain_bytes(self.path, HEAD_BYTES) if is_packed else head, self.path.name)
        if kind in KINDS:
            if self._table is None or self._table.kind != kind:
                self._table = Table(self.path, kind, self._wanted)
            told = self._table.read()
            if (
                not is_packed
                and len(head) < _NOTE_BYTES
                and (
                    (kind in ("summary", "jsonl") and (len(head) < _SHORT_BYTES or _SAID.search(head)))
                    or (kind == "csv" and _ENDED_BADLY.search(head))
                )
            ):
                said = self._console(descriptor, now, head, now.size)  # its text quotes what was printed
                sightings = _apart(said.sightings) if kind == "csv" else said.sightings
                return replace(told, sightings=sightings, facts={**said.facts, **told.facts})
            return told
        self._kind = kind
        printed = None if is_packed else _as_printed(descriptor, head, now.size)
        was_whole, self._is_whole = self._is_whole, is_packed or printed is not None
        if self._is_whole and self._told is not None and now == self._mark:
            return self._told
        if self._is_whole or was_whole:
            self._mark = None  # what is packed, or has to be mended, is read as a whole
        if not self._is_whole:
            return self._console(descriptor, now, head, now.size)
        self._is_cut = False
        plain = unpacked(self.path, self._cut) if printed is None else kept(printed, self.path)
        try:
            told = self._console(plain, now, os.pread(plain, HEAD_BYTES, 0), os.fstat(plain).st_size)
        finally:
            os.close(plain)
        return replace(told, facts={**told.facts, "unpacked_in_part": 1}) if self._is_cut else told

    def _cut(self) -> None:
        self._is_cut = True

    def _console(self, descriptor: int, now: Mark, head: bytes, size: int) -> Told:
        """What the first `size` bytes tell: no more than the mark knows, or a file cut back to it would go unseen."""
        if self._mark is None or not self._mark.is_continued_by(now) or self._is_beginning():
            self._begin(head, size)
        self._mark = now
        unfinished: Block | None = None
        for block in self._blocks.read(descriptor, size):
            if block.is_whole:
                self._scanner.take(block)
            else:
                unfinished = block
        return self._look(descriptor, size, unfinished)

    def _is_beginning(self) -> bool:
        """Whether the log had but a few lines: it is read again, because only now it is known how it begins."""
        return not self._beginning.is_whole and self._blocks.offset < HEAD_BYTES

    def _look(self, descriptor: int, size: int, unfinished: Block | None) -> Told:
        met = [*self._scanner.held, *(self._scanner.tried(unfinished) if unfinished else ())]
        steps = self._steps_until(unfinished)
        series = steps.series()
        if _says_little(series) and size <= WRITTEN_BYTES:
            written = written_series(os.pread(descriptor, size, 0))
            series = written if not len(series) or len(written) >= _TABLE_ROWS else series
        lines = self._blocks.lines + (self._blocks.offset < size)
        printed, bar = last_lines(descriptor, size, SLOW_LINES), steps.progress()
        tail = without_samples(printed)
        marks = Marks() if trains(series) else marks_of(descriptor, size, lines, bar.total if bar else 0)
        moment = Moment(descriptor, lines, tail, series, marks)
        sightings = self._sighter.sightings(moment, met)
        own = {each.key: found for each in PATTERNS if (found := sightings.pop(each.key, None)) is not None}
        sightings.pop(KEY, None)
        seen = self._scanner.seen.get(KEY)
        last = moment.tail[-1].text if moment.tail else ""
        told = self._scanner.step_lines  # rows look alike: a row is no program's beginning
        begun = [
            each
            for each in (seen.first if seen else ())
            if bisect_left(told, each.number) == bisect_right(told, each.number)
        ]
        cycles = cycles_of(descriptor, self._beginning, begun, last)
        evidence = _evidence(size, moment, own, cycles, steps, self._scanner.step_lines)
        facts = facts_of(replace(evidence, total=evidence.total or _said_plan(descriptor, series)))
        if lines < GARBLED_LINES and (count := garbled((each.text for each in printed), lines)):
            facts["garbled"] = count
        set_up = self._set_up_at(descriptor, size, is_one=len(cycles.numbers) < 2)
        kind = "text" if self._kind == "text" else "console"
        return Told(kind, series, sightings, facts, dict(set_up.settings), dict(set_up.configured))

    def _set_up_at(self, descriptor: int, size: int, is_one: bool) -> _SetUp:
        """The set-up that the log's beginning tells; of several runs in one long log nobody knows that of the last."""
        until = min(size, SETTINGS_BYTES)
        if until > self._set_up.until:
            head = os.pread(descriptor, until, 0)
            self._set_up = _SetUp(until, settings_of(head), configured_in(head))
        return self._set_up if is_one or size <= SETTINGS_BYTES else _SetUp()

    def _steps_until(self, unfinished: Block | None) -> StepLines:
        """The steps, with the one that a line tells which has not ended: that is read again later."""
        told = self._scanner.steps_in(unfinished) if unfinished else []
        self._scanner.flush()
        is_open = self._steps.follow > 0  # what the last lines began is not told to the end
        if not (told or is_open) or self._blocks.offset > _MOST_COPIED_BYTES:
            return self._steps
        if unfinished is not None and not told:  # a table's row holds no word by which it is told
            end = min(unfinished.end, unfinished.start + STEP_BYTES)
            told = [(unfinished.offset + unfinished.start, bytes(unfinished.data[unfinished.start : end]))]
        steps = copy.deepcopy(self._steps)
        for offset, raw in told:
            steps.feed(self._blocks.lines + 1, offset, raw)
        return steps


def _as_printed(descriptor: int, head: bytes, size: int) -> Iterable[bytes] | None:
    """The text as the program had printed it, where a collector of logs or a person has changed it; else None."""
    if (text := with_feeds(descriptor, head, size)) is not None:
        return (text,)
    mend = mending(head) if size <= COLLECTED_BYTES else None
    told = None if mend is None else told_by(mend, descriptor, size)
    if size > PASTED_BYTES:
        return told
    text = os.pread(descriptor, size, 0) if told is None else b"".join(told)
    if (pasted := as_printed(text)) is not None:
        return (pasted,)
    return None if mend is None else (text,)


def _says_little(series: Series) -> bool:
    """Whether no step is told, or only a row without a reward, as a trainer's last words are: a page may show its table
    beside that."""
    return not len(series) or (len(series) == 1 and not series.has("critic/score/mean"))


def _said_plan(descriptor: int, series: Series) -> int:
    """How many steps a program has said that it will make, 0 where it has not, or has told none yet."""
    if not len(series):
        return 0
    head = os.pread(descriptor, PLAN_BYTES, 0)
    return plan_of(head, int(series.lines[0]), int(series.steps[-1]) + ahead(series))


def _evidence(
    size: int,
    moment: Moment,
    own: Mapping[str, Sighting],
    cycles: Cycles,
    steps: StepLines,
    step_lines: Sequence[int],
) -> Evidence:
    series, progress = moment.series, steps.progress()
    waits = progress is not None and progress[0] == 0 and not len(series)
    return Evidence(
        size=size,
        lines=moment.lines,
        tail=moment.tail,
        series=series,
        seen=own,
        attempts=max(steps.attempts, len(cycles.numbers)),
        restarts=cycles.restarts(step_lines),
        begun=max(
            cycles.numbers[-1] if len(cycles.numbers) > 1 else 0,
            moment.marks.line,
        ),
        total=steps.total_steps or 0,
        done=moment.marks.last or 0,
        is_done=progress is not None and 0 < progress[1] <= progress[0],
        waited_s=progress[2] if waits and progress else None,
        step_s=progress[2] / progress[0] if progress and progress[0] else None,
        told=step_lines[0] if step_lines else 0,
    )


def _apart(sightings: Mapping[str, Sighting]) -> dict[str, Sighting]:
    """Lines below a table: it stands above all of them, and says nothing of when they were written."""
    return {
        key: Sighting(
            found.count,
            tuple(replace(each, step=None) for each in found.first),
            replace(found.last, step=None),
        )
        for key, found in sightings.items()
    }
