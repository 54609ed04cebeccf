"""What a run's events say, kept up to date: where its boot stands, its validations, its newest checkpoint, its end."""

from __future__ import annotations

import re
from pathlib import Path

from liverl.log.growing import NewLines
from liverl.log.rows import Row, decode_row, number, whole
from liverl.operate.validation import Measured, Validations
from liverl.record.events import Event
from liverl.record.stages import Boot, advance

# What comes once or more a step, as its writer begins it; nothing is kept of most of it.
_FREQUENT = re.compile(
    rb'\{"time": "[^"]{20,30}", "kind": "(?:step|removed|trial_failed|group_dropped|step_skipped)"'
)
_STEP, _VALIDATION, _BEGINS = (
    b'"kind": "step"',
    b'"validation": ',
    (b'"kind": "started"', b'"kind": "resumed"'),
)


class Happenings:
    """Reads events.jsonl once, and then only what is new of it.

    Most of it are steps; of those only the ones with a validation are decoded, and the last one. `attempt` is the
    newest one that began; `boot`, `ready`, `died` and `step` are of that attempt, None when there is none.
    """

    def __init__(self, path: Path) -> None:
        self._lines = NewLines(path)
        self._restarts = 0
        self._forget()

    def _forget(self) -> None:
        self.attempt = 0
        self.boot: Boot | None = None
        self.ready: Event | None = None
        self.died: Event | None = None
        self.exported: Event | None = None
        self.checkpoint: int | None = None
        self.step: int | None = None
        self.last: Event | None = None
        self.validations = Validations()

    def update(self) -> None:
        """Take in what is new."""
        for lines in self._lines.read():
            self._begin_anew_if_replaced()
            self._take(lines)
        self._begin_anew_if_replaced()

    def _begin_anew_if_replaced(self) -> None:
        if self._lines.restarts != self._restarts:
            self._restarts = self._lines.restarts
            self._forget()

    def _take(self, lines: list[bytes]) -> None:
        is_frequent = _FREQUENT.match
        for line in [line for line in lines if not is_frequent(line) or _VALIDATION in line]:
            self._see(line)
        # The newest step is of the newest attempt, unless that began after it.
        for line in reversed(lines):
            if any(kind in line for kind in _BEGINS):
                break
            if _STEP in line:
                self._see(line)
                break
        row = decode_row(lines[-1])
        self.last = Event.from_dict(row) if row is not None else self.last

    def _see(self, line: bytes) -> None:
        row = decode_row(line)
        if row is None:
            return
        event = Event.from_dict(row)
        if event.kind in ("started", "resumed"):
            self.attempt = whole(row, "attempt") or self.attempt + 1
            self.ready = self.died = self.step = None
        elif event.kind == "ready":
            self.ready = event
        elif event.kind == "died" and event.fields.get("restarted") is not True:
            self.died = event
        elif event.kind == "exported":
            self.exported = event
        elif event.kind == "checkpoint":
            self.checkpoint = whole(row, "step")
        elif event.kind == "step":
            self._see_step(row)
        self.boot = advance(self.boot, event)

    def _see_step(self, row: Row) -> None:
        step = whole(row, "step")
        if step is None:
            return
        attempt = whole(row, "attempt") or self.attempt
        if attempt >= self.attempt:
            self.step = step if self.step is None else max(self.step, step)
        reward = number(row, "validation")
        if reward is not None:
            self.validations.add(Measured(step, reward, whole(row, "validation_trials") or 0, attempt))
