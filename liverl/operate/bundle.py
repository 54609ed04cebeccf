"""What a maintainer would ask for, in one file: versions, configuration, first error, last good step, findings, logs.

Secrets are masked; nothing of a trial's contents is in it.
"""

from __future__ import annotations

import io
import json
import math
import os
import platform
import re
import shlex
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from liverl.diagnose.finding import Finding
from liverl.errors import RunError
from liverl.log.reader import Reader
from liverl.log.rows import whole as whole_number
from liverl.log.series import Series
from liverl.operate.answer import as_json
from liverl.operate.bundle_said import components, first_exception, run_says
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.log_parts import end_of, ends_by, lines_around
from liverl.operate.provenance import versions
from liverl.record.clock import utc_now
from liverl.record.layout import RunDir
from liverl.record.masking import mask
from liverl.record.metrics import read_metrics
from liverl.record.plan import newest_attempt, read_plan
from liverl.record.tail import tail_lines

_EVENTS = 400
_EVENT_BYTES = 4 * 1024 * 1024
_STEPS = 200
# Lines behind one that are shown with it.
_NEAR = 60


@dataclass(frozen=True)
class Bundle:
    """Where the bundle was written, its size, and the names in it."""

    path: Path
    size_bytes: int
    names: tuple[str, ...]
    ok: bool = True

    @property
    def summary(self) -> str:
        """What it is."""
        return f"wrote {self.path} ({self.size_bytes / 1024:.0f} kB): {', '.join(self.names)}"

    @property
    def next_action(self) -> str:
        """Read it before it is sent."""
        return f"look into it before you send it: tar -xzOf {shlex.quote(str(self.path))} | less"

    def payload(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"file": str(self.path), "size_bytes": self.size_bytes, "holds": list(self.names)}


def write_bundle(found: Diagnosed, out: Path | None, run: RunDir | None, file: Path | None = None) -> Bundle:
    """Write a .tar.gz, without a name one of its own in the working folder; raises `RunError` where the file is there
    already or can't be written."""
    parts = dict(_parts(found, run, file))
    out = out or _free(found.source)
    try:
        stream = out.open("xb")
    except FileExistsError:
        raise RunError(
            "diagnose.bundle_exists", f"{out} is there already.", next_action="name another file"
        ) from None
    except OSError as error:
        raise _unwritten(error) from None
    try:
        with stream:
            _write(stream, out.name.split(".")[0] or "bundle", parts)
    except OSError as error:
        out.unlink(missing_ok=True)  # half of one says nothing
        raise _unwritten(error) from None
    return Bundle(out, out.stat().st_size, tuple(parts))


def _free(source: str) -> Path:
    """A name that nothing has here: diagnosis-SOURCE-DAY-TIME.tar.gz, in UTC."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", source).strip("-")[:60]
    first = f"diagnosis-{stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = (f"{first}{number}.tar.gz" for number in ("", *(f"-{each}" for each in range(2, 1000))))
    return next(path for path in map(Path, names) if not os.path.lexists(path))


def _write(stream: BinaryIO, folder: str, parts: Mapping[str, str]) -> None:
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, text in parts.items():
            data = mask(text.replace("\0", "")).encode(errors="replace")
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size, info.mtime = len(data), int(time.time())
            archive.addfile(info, io.BytesIO(data))


def _unwritten(error: OSError) -> RunError:
    return RunError(
        "diagnose.bundle",
        "The bundle could not be written.",
        evidence=str(error),
        next_action="name a file in a folder that can be written, on a disk with room",
    )


def _parts(found: Diagnosed, run: RunDir | None, file: Path | None) -> Iterator[tuple[str, str]]:
    whole = replace(found, is_whole=True)
    yield "diagnosis.json", json.dumps(as_json(whole), indent=1, ensure_ascii=False)
    yield "summary.txt", "\n".join([*found.lines(), "", *_first_error(found)])
    # Those of a run stand in versions.json: of a file nobody may take this machine's for the run's.
    machine = {"system": platform.platform(), "python": platform.python_version(), "made": utc_now()}
    installed = {**machine, "installed": versions(sys.executable)}
    yield "machine.json", json.dumps(installed if file is None else {"diagnosed_on": installed}, indent=1)
    first = _first(found)
    if first is not None and (log := file or _log_of(run, first)) is not None and log.is_file():
        cause = found.diagnosis.primary if file is not None else None  # a run has two logs, which count apart
        yield "first_error.txt", _around(log, first.began.line or 0, (cause.began.line or 0) if cause else 0)
    if file is not None:
        yield from _of_file(found, file)
    if run is not None:
        yield from _of_run(run)
    yield from _steps(_rows(run, file), found)


def _around(log: Path, first: int, primary: int) -> str:
    """The lines around the first finding's and the cause's, and around an exception that stands before both."""
    parts: list[str] = []
    told: list[int] = []
    for line in sorted({first_exception(log, max(first, primary)), first, primary} - {0}):
        # A place that another one's lines show already, as a traceback's last line, is not shown again.
        if not any(line - _NEAR <= other for other in told):
            parts.append(lines_around(log, line))
            told.append(line)
    return "\n\n...\n\n".join(parts)


def _of_file(found: Diagnosed, file: Path) -> Iterator[tuple[str, str]]:
    """What a log says of its run, its end, and that of each component that it names."""
    if said := run_says(file):
        yield "run_says.json", json.dumps(said, indent=1, ensure_ascii=False)
    name = "input" if found.source != file.name else file.name  # standard input has none
    yield f"{name}.tail", end_of(file)
    for component, text in components(file).items():
        yield f"{name}.{re.sub(r'[^A-Za-z0-9_.-]+', '-', component)}.tail", text


def _of_run(run: RunDir) -> Iterator[tuple[str, str]]:
    attempt = newest_attempt(run)
    for path in (run.config, run.resolved, run.run_json):
        if path.is_file():
            yield path.name, path.read_text(encoding="utf-8", errors="replace")
    try:
        plan = read_plan(run, attempt)
        yield (
            "versions.json",
            json.dumps({**plan.versions, "commit": plan.commit, "dirty": plan.dirty}, indent=1),
        )
    except RunError:
        pass  # a run whose plan is gone still has a log
    for name, path in (
        ("log.tail", run.attempt_log(attempt)),
        ("litellm.tail", run.component_log(attempt, "litellm")),
    ):
        if path.is_file():
            yield name, end_of(path)
    for component, text in ends_by(run.attempt_log(attempt)):
        if component != "litellm" or not run.component_log(attempt, "litellm").is_file():
            yield f"log.{component}.tail", text
    if run.events_jsonl.is_file():
        yield "events.tail", "\n".join(tail_lines(run.events_jsonl, _EVENTS, _EVENT_BYTES))


def _log_of(run: RunDir | None, finding: Finding) -> Path | None:
    """The log whose line a finding quotes."""
    if run is None:
        return None
    attempt = newest_attempt(run)
    is_litellms = any(line.startswith("litellm line") for line in finding.evidence[:1])
    return run.component_log(attempt, "litellm") if is_litellms else run.attempt_log(attempt)


def _rows(run: RunDir | None, file: Path | None) -> list[dict[str, Any]]:
    """The last steps with all of their metrics, of a run or of what a file tells."""
    if run is not None and (rows := read_metrics(run)):
        return rows[-_STEPS:]
    path = file or (None if run is None else run.attempt_log(newest_attempt(run)))
    if path is None or not path.is_file():
        return []
    series = Reader(path, ()).read().series
    return [_row(series, row) for row in range(max(0, len(series) - _STEPS), len(series))]


def _row(series: Series, row: int) -> dict[str, Any]:
    values = {name: float(column[row]) for name, column in series.columns.items()}
    told = {name: "not finite" if math.isinf(value) else value for name, value in values.items()
            if not math.isnan(value)}  # fmt: skip
    return {"step": int(series.steps[row]), **told}


def _steps(rows: list[dict[str, Any]], found: Diagnosed) -> Iterator[tuple[str, str]]:
    """The last steps, and the last one before the first cause began."""
    if not rows:
        return
    yield "metrics.jsonl", "\n".join(json.dumps(row) for row in rows)
    primary = found.diagnosis.primary
    began = primary.began.step if primary is not None else None
    steps = [(row, step) for row in rows if (step := whole_number(row, "step")) is not None]
    good = [row for row, step in steps if began is None or step < began]
    if good:
        yield "last_good_step.json", json.dumps(good[-1], indent=1)


def _first(found: Diagnosed) -> Finding | None:
    """What shows earliest in the log."""
    told = [each for each in found.diagnosis.findings if each.began.line and each.is_alarm]
    return min(told, key=lambda each: each.began.line or 0, default=None)


def _first_error(found: Diagnosed) -> list[str]:
    """The earliest line that a finding quotes."""
    first = _first(found)
    return [] if first is None else [f"first error: {first.id} at {first.began}", *first.evidence]
