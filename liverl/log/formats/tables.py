"""Files of metrics that are no console log: rows of JSON or of a table, one document, TensorBoard's events.

Table        one file; each `read` reads only what a growing one has gained
read_table   what a file tells, once
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from liverl.errors import LiveRLError
from liverl.log.formats.delimited import CsvRows
from liverl.log.formats.detect import HEAD_BYTES, detect, encoding_of
from liverl.log.formats.document import decoded, document_rows, document_runs
from liverl.log.formats.encoded import plain_bytes
from liverl.log.formats.events import event_rows
from liverl.log.formats.fragments import fragment_rows
from liverl.log.formats.headers import metric_of
from liverl.log.formats.jsonl import JsonRows
from liverl.log.formats.rows import Rows
from liverl.log.growing import Mark, NewLines, mark, open_log
from liverl.log.series import Series
from liverl.log.told import Told

KINDS = ("jsonl", "csv", "trainer_state", "summary", "events")
# A document is decoded as a whole, in about five times its size.
_DOCUMENT_BYTES = 256 << 20
_LAST_LINE_BYTES = 16 << 20


def read_table(path: Path, wanted: Collection[str] | None = None) -> Told | None:
    """What a file of metrics tells; None where it is a console log, or no file of metrics at all.

    Raises `LiveRLError` log.missing and log.too_large.
    """
    head = head_of(path)
    kind = detect(plain_bytes(path, HEAD_BYTES) if encoding_of(head) else head, path.name)
    return Table(path, kind, wanted).read() if kind in KINDS else None


def head_of(path: Path, limit_bytes: int = HEAD_BYTES) -> bytes:
    """The first bytes of a file; raises `LiveRLError` log.missing where none can be read."""
    descriptor = open_log(path)
    if descriptor is None:
        raise _missing(path)
    try:
        return os.pread(descriptor, limit_bytes, 0)
    except OSError as error:
        raise _missing(path, str(error)) from None
    finally:
        os.close(descriptor)


class Table:
    """A file of metrics of one kind (one of `KINDS`)."""

    def __init__(self, path: Path, kind: str, wanted: Collection[str] | None = None) -> None:
        self.path, self.kind = path, kind
        self._wanted = wanted
        self._new: NewLines | None = None
        self._lines: JsonRows | CsvRows = self._begun()
        self._restarts = 0
        self._mark: Mark | None = None
        self._told: Told | None = None
        self._runs: dict[str, Series] = {}
        self._is_cut = False

    def read(self) -> Told:
        """What the file tells until now; raises `LiveRLError` log.missing and log.too_large."""
        encoding = encoding_of(head_of(self.path, 4096))
        if self.kind in ("jsonl", "csv") and not encoding:
            return self._grown()
        descriptor = open_log(self.path)
        if descriptor is None:
            raise _missing(self.path)
        try:
            now = mark(descriptor)
        finally:
            os.close(descriptor)
        if self._told is None or now != self._mark:
            self._mark, self._told = now, self._whole()
        return self._told

    def _begun(self) -> JsonRows | CsvRows:
        return CsvRows(self._wanted, metric_of(self.path)) if self.kind == "csv" else JsonRows(self._wanted)

    def _grown(self) -> Told:
        if self._new is None:
            self._new = NewLines(self.path)
        for lines in self._new.read():
            if self._new.restarts != self._restarts:
                self._restarts, self._lines = self._new.restarts, self._begun()
            self._lines.feed(lines)
        if self._new.restarts != self._restarts:
            self._restarts, self._lines = self._new.restarts, self._begun()
        last = _bytes_from(self.path, self._new.offset)
        before, of_runs = self._lines.rows.point(), self._lines.by_run.point()
        if last:
            self._lines.feed_last(last)
        told = self._said(self._lines.rows)
        if len(self._lines.rows) > before.count:
            self._lines.rows.back_to(before)
        self._lines.by_run.back_to(of_runs)
        return told

    def _whole(self) -> Told:
        self._is_cut = False
        content = plain_bytes(self.path, _DOCUMENT_BYTES + 1, self._cut)
        if len(content) > _DOCUMENT_BYTES:
            raise LiveRLError(
                "log.too_large",
                "The file of metrics is larger than is read in one piece.",
                evidence=f"{self.path}: more than {_DOCUMENT_BYTES >> 20} MiB of {self.kind}",
                next_action="export the metrics as csv or as one JSON object a line, and diagnose that",
            )
        if self.kind == "events":
            return self._said(event_rows(content, self._wanted))
        if self.kind in ("jsonl", "csv"):
            lines = self._begun()
            lines.feed(content.split(b"\n"))
            self._lines = lines
            return self._said(lines.rows)
        document = decoded(content)
        self._runs = document_runs(document, self._wanted)
        # One that was cut is no document any more.
        return self._said(
            fragment_rows(content)
            if document is None
            else document_rows(document, self._wanted, metric_of(self.path))
        )

    def _cut(self) -> None:
        self._is_cut = True

    def _said(self, rows: Rows) -> Told:
        series = rows.series()
        settings = {}
        runs = self._lines.by_run.series() or self._runs
        if runs:  # below each other they are no run of their own
            series = replace(max(runs.values(), key=len), runs=runs)
        columns_of = self._lines.runs if isinstance(self._lines, CsvRows) else ()
        if len(names := tuple(runs) or columns_of) > 1:
            settings["runs"] = ", ".join(names)
        facts: dict[str, float | int | bool | str] = {"steps": len(series)}
        if len(series):
            facts |= {"first_step": int(series.steps[0]), "last_step": int(series.steps[-1])}
            facts["attempts"] = 1 if series.runs else rows.attempts
        if (size := _size_of(self.path)) is not None:
            facts["bytes"] = size
        if self._is_cut:
            facts["unpacked_in_part"] = 1
        return Told(self.kind, series, {}, facts, settings)


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _bytes_from(path: Path, offset: int) -> bytes:
    descriptor = open_log(path)
    if descriptor is None:
        return b""
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, size - offset, offset) if 0 < size - offset <= _LAST_LINE_BYTES else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _missing(path: Path, why: str = "") -> LiveRLError:
    return LiveRLError(
        "log.missing",
        "There is no file that can be read.",
        evidence=f"{path}{': ' + why if why else ''}",
        next_action="give the path of a log or of a file of metrics",
    )
