"""The steps that a console log tells, line by line, in the forms of all frameworks."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from liverl.log.formats import dicts, needles, validation, verl
from liverl.log.formats.boxes import Box
from liverl.log.formats.broken import Broken
from liverl.log.formats.line import text_of, time_of
from liverl.log.formats.others import Others
from liverl.log.formats.progress import Bars, Progress, interval_of
from liverl.log.formats.sources import Sources
from liverl.log.formats.validation import Validation
from liverl.log.names import Names
from liverl.log.series import Series

_STEP_DONE = re.compile(r"Train step (\d{1,12})/(\d{1,12}) done|^ {3,}(?:Training )?Step (\d{1,12}) *$")
_TOTAL = re.compile(rb"otal (?:training |optimization )?steps\D{1,4}(\d[\d,]{0,15})")
# Wider than any terminal: the line was not broken by one.
_WIDEST = 512


class StepLines:
    """Takes the lines of a log that may tell a step, in order; `series` is all that they have told.

    A line is worth feeding when it holds one of `needles`, or is one of the `follow` lines behind the last one.
    `wanted` are the metrics to keep, by verl's names (None: all); rewards and scores are kept anyway.
    """

    needles: tuple[bytes, ...] = needles.ALL

    def __init__(self, wanted: Collection[str] | None = None) -> None:
        self.follow = 1  # before the first line stands no line feed, with which some of the needles begin
        self._rows = Sources(Names(wanted))
        self._bars = Bars()
        self._others = Others(self._rows)
        self._total: int | None = None
        self._keys: tuple[str, ...] = ()
        # Those of a line that may have been cut; told again, they are all that such steps tell.
        self._short: tuple[str, ...] = ()
        self._broken: Broken | None = None
        self._box: tuple[int, int, str, Box] | None = None
        self._validation: Validation | None = None
        self._summed: tuple[int, dict[str, float]] | None = None
        # How many steps a trainer says at its end that it has made; 0 where it does not.
        self._made = 0

    @property
    def attempts(self) -> int:
        """How often the steps begin."""
        self._settle()
        return self._rows.best().attempts

    @property
    def total_steps(self) -> int | None:
        """How many steps are planned; None where nothing tells."""
        if self._total is not None or self._others.total is not None:
            return self._total or self._others.total
        bar = self._bars.latest()
        return bar.total if bar and bar.total > 0 else None

    def progress(self) -> Progress | None:
        """Steps done, steps planned and seconds since the bar appeared, of the training's progress bar."""
        return self._bars.latest()

    def series(self) -> Series:
        """All steps until now; cheap to ask again after more lines."""
        self._settle()
        best = self._rows.best()
        found = best.series()
        if best is not self._rows.of("dict") or self._others.tells_steps:
            return found
        bar = self._bars.latest()
        every = interval_of(len(found), self._made if bar is None else bar.done)
        return replace(found, steps=found.steps * every, spans=found.spans * every) if every > 1 else found

    def feed(self, number: int, offset: int, raw: bytes) -> bool:
        """Read one raw line; whether it tells a step."""
        if self.follow:
            self.follow -= 1
            if self._continue(raw):
                return False
            is_part, tells = self._others.go_on(number, raw)
            self.follow = max(self.follow, self._others.follow)
            if is_part:
                return tells
        at = verl.find(raw) if b"step:" in raw else -1
        if at >= 0:
            if at:
                self._feed_bar(raw[:at])
            return self._begin(number, raw, at)
        self._feed_bar(raw)
        # Most bars are loaders' and generators', by the ten thousand: little else stands in their lines.
        if b"%|" in raw and b"{" not in raw:
            return self._others.bar(number, raw)
        return self._other(number, raw)

    def feed_row(self, number: int, offset: int, raw: bytes) -> bool:
        """As `feed`, of a line that is known to be a whole step line, behind who said it."""
        if self.follow or self._broken is not None or len(raw) <= _WIDEST:
            return self.feed(number, offset, raw)
        return self._verl(number, raw[raw.find(b"step:") :], time_of(raw))

    def _begin(self, number: int, raw: bytes, at: int) -> bool:
        self._end_broken()
        time = time_of(raw)
        if len(raw) > _WIDEST:
            return self._verl(number, raw[at:], time)
        self._broken = Broken(number, raw[at:].rstrip(b"\r\n"), verl.width_of(raw), time)
        self.follow = max(self.follow, 1)
        return True

    def _verl(self, number: int, text: bytes, time: str) -> bool:
        found = verl.parse(text)
        if found is None:
            return False
        step, row = found
        keys = tuple(row)
        if keys != self._keys and keys != self._short:
            if verl.is_cut(keys, self._keys):
                row.pop(keys[-1])
                self._short = keys
            else:
                self._keys = keys
        self._rows.of("verl").add(row, step, number, time=time)
        return True

    def _settle(self) -> None:
        """Take a line that may go on as it is until now; what then comes replaces it."""
        if self._broken is not None and not self._broken.is_settled:
            self._broken.is_settled = True
            self._verl(self._broken.number, self._broken.text, self._broken.time)
        if self._box is not None and self._box[3].is_bare:  # nothing tells its end
            number, step, time, box = self._box
            self._box = None
            self._rows.of("box").add(box.row, step, number, time=time)
        self._others.settle()
        self._sum_up()

    def _end_broken(self) -> None:
        if self._broken is not None:
            broken, self._broken = self._broken, None
            if not broken.is_settled:
                self._verl(broken.number, broken.text, broken.time)

    def _continue(self, raw: bytes) -> bool:
        """Whether a line is taken as part of what the lines before it began."""
        if self._broken is not None:
            if self._broken.join(raw):
                self.follow = max(self.follow, 1)
                return True
            self._end_broken()
        if self._box is not None:
            return self._in_box(raw)
        if self._validation is not None and self._validation.join(text_of(raw)):
            self._keep_validation()
            return True
        return False

    def _in_box(self, raw: bytes) -> bool:
        assert self._box is not None
        number, step, time, box = self._box
        is_taken = box.feed(text_of(raw))
        if not box.is_open:
            self._box, self.follow = None, 0
            if box.row:
                self._rows.of("box").add(box.row, step, number, time=time)
        return is_taken

    def _other(self, number: int, raw: bytes) -> bool:
        if any(each in raw for each in needles.STATED) and (stated := _TOTAL.search(raw)):
            self._total = int(stated.group(1).replace(b",", b"")) or self._total
        if any(each in raw for each in needles.TRAIN_STEP) and self._open_box(number, raw):
            return True
        if validation.BEGINS in raw:
            self._validation = Validation(text_of(raw), is_first=b"Initial" in raw, number=number)
            self.follow = max(self.follow, validation.MOST_LINES)
            self._keep_validation()
            return False
        if needles.ENDS in raw:
            self._made = dicts.made(text := text_of(raw))
            if summed := dicts.summary(text):
                self._summed = number, summed
        tells = self._others.take(number, raw)
        self.follow = max(self.follow, self._others.follow)
        return tells

    def _sum_up(self) -> None:
        """Take what a trainer said of all its steps: the only row where it logged none between."""
        bar = self._bars.latest()
        if self._summed is not None and bar is not None and bar.total > 0 and not self._rows.best():
            number, row = self._summed
            self._rows.of("summary").add(row, bar.total, number, span=bar.total)

    def _open_box(self, number: int, raw: bytes) -> bool:
        found = _STEP_DONE.search(text_of(raw))
        if found is None:
            return False
        if found.group(2):
            self._total = int(found.group(2))
        self._box = (number, int(found.group(1) or found.group(3)), time_of(raw), Box())
        self.follow = 2000
        return found.group(1) is not None

    def _keep_validation(self) -> None:
        told = self._validation
        if told is None or not told.is_whole:
            return
        self._validation, self.follow = None, 0
        rows = self._rows.of("verl")
        step = 0 if told.is_first else rows.last_step
        # The last line of a run tells the same numbers: they are kept where no step line has them.
        if told.row and step is not None and not (told.is_first and rows):
            rows.add(told.row, step, told.number)

    def _feed_bar(self, raw: bytes) -> None:
        if b"%|" in raw:
            self._bars.feed(raw)
