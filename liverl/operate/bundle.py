"""What a maintainer would ask for, in one file: versions, configuration, first error, last good step, findings, logs.

Secrets are masked; nothing of a trial's contents is in it.
"""

from __future__ import annotations

import io
import json
import platform
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from liverl.errors import RunError
from liverl.log.rows import whole as whole_number
from liverl.operate.answer import as_json
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.provenance import versions
from liverl.record.clock import utc_now
from liverl.record.layout import RunDir
from liverl.record.masking import mask
from liverl.record.metrics import read_metrics
from liverl.record.plan import newest_attempt, read_plan
from liverl.record.tail import tail_lines

_LINES = 400
_BYTES = 4 * 1024 * 1024
_STEPS = 200


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
        return f"look into it before you send it: tar -tzf {self.path}"

    def payload(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"file": str(self.path), "size_bytes": self.size_bytes, "holds": list(self.names)}


def write_bundle(found: Diagnosed, out: Path, run: RunDir | None, file: Path | None = None) -> Bundle:
    """Write a .tar.gz; raises `RunError` where the file is there already or can't be written."""
    parts = dict(_parts(found, run, file))
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


def _write(stream: BinaryIO, folder: str, parts: Mapping[str, str]) -> None:
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, text in parts.items():
            data = mask(text).encode(errors="replace")
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
    machine = {"system": platform.platform(), "python": platform.python_version(), "made": utc_now()}
    yield "machine.json", json.dumps({**machine, "installed": versions(sys.executable)}, indent=1)
    if file is not None:
        yield f"{file.name}.tail", "\n".join(tail_lines(file, _LINES, _BYTES))
    if run is None:
        return
    yield from _of_run(run)
    yield from _steps(run, found)


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
        ("events.tail", run.events_jsonl),
    ):
        if path.is_file():
            yield name, "\n".join(tail_lines(path, _LINES, _BYTES))


def _steps(run: RunDir, found: Diagnosed) -> Iterator[tuple[str, str]]:
    """The last steps, and the last one before the first cause began."""
    rows = read_metrics(run)[-_STEPS:]
    if not rows:
        return
    yield "metrics.jsonl", "\n".join(json.dumps(row) for row in rows)
    primary = found.diagnosis.primary
    began = primary.began.step if primary is not None else None
    steps = [(row, step) for row in rows if (step := whole_number(row, "step")) is not None]
    good = [row for row, step in steps if began is None or step < began]
    if good:
        yield "last_good_step.json", json.dumps(good[-1], indent=1)


def _first_error(found: Diagnosed) -> list[str]:
    """The earliest line that a finding quotes."""
    lines = [each for each in found.diagnosis.findings if each.began.line]
    if not lines:
        return []
    first = min(lines, key=lambda each: each.began.line or 0)
    return [f"first error: {first.id} at {first.began}", *first.evidence]
