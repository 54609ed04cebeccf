"""What is wrong with a run, or with what a log or a file of metrics tells: the first cause with evidence and a cure.

diagnose        a run by its name, a file, or the newest run
diagnose_run    a run directory; a Doctor keeps what it has read
diagnose_file   any log, jsonl, csv or trainer_state.json
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from liverl.diagnose.attribution import Attribution, attribute
from liverl.diagnose.catalogue import catalogue, metrics_of, patterns
from liverl.diagnose.diagnose import diagnose as judge
from liverl.diagnose.snapshot import Snapshot
from liverl.errors import RunError
from liverl.log.reader import Reader
from liverl.log.series import Series
from liverl.log.sighting import LinePattern
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.find import Place, find_run
from liverl.operate.pointed import at_file, at_run
from liverl.operate.remembered import remember
from liverl.operate.run_snapshot import RunReader
from liverl.record.jsonl import recent_objects
from liverl.record.layout import RunDir
from liverl.record.runfile import read_run
from liverl.record.trials import parse_trials
from liverl.run.roots import is_run

# A run that has been silent for so long beyond its own rhythm is worth the stacks of its processes.
_SILENT = ("run:stalled", "hang:")
# Some five thousand trials.
_TRIAL_BYTES = 8 * 1024 * 1024
_COMMAND_BYTES = 400
_SLOW = "the log was searched slowly: the package hyperscan is not installed"
_READABLE = (".log", ".out", ".txt", ".jsonl", ".csv", ".json")


def diagnose(name: str | None, place: Place, *, is_whole: bool = False) -> Diagnosed:
    """A file where the name is one's path, else the run of the name; raises `LiveRLError` where there is neither."""
    if name and (path := _path(name)) is not None and not is_run(RunDir(path)):
        if path.is_dir():
            raise RunError(
                "diagnose.folder",
                f"{name} is a folder, and no run.",
                evidence=_files_in(path),
                next_action="name one file of it: a log, a jsonl, a csv or a trainer_state.json",
            )
        return replace(diagnose_file(path), is_whole=is_whole)
    if name and ("/" in name or Path(name).suffix in _READABLE):
        raise RunError(
            "diagnose.missing",
            f"{name[:200]} is not there.",
            evidence=f"looked from {place.cwd}",
            next_action="name a file that is there, or a run: liverl status --list",
        )
    return replace(diagnose_run(find_run(name, place)), is_whole=is_whole)


def diagnose_run(run: RunDir) -> Diagnosed:
    """A run directory as it is now; raises `RunError` where it is none."""
    return Doctor(run).look()


def diagnose_file(path: Path) -> Diagnosed:
    """A file that somebody has; raises `LiveRLError` where it can't be read."""
    lines, wanted = _looked_for()
    reader = Reader(path, lines, wanted)
    told = reader.read()
    snapshot = Snapshot(path.name, told.kind, told.series, told.sightings, told.facts, told.settings)
    found = _answer(snapshot, lambda command: at_file(command, path), is_run=False)
    return replace(found, note=_SLOW if reader.search == "numpy" else "")


class Doctor:
    """Diagnoses one run again and again, each time reading only what is new."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._reader = RunReader(run, *_looked_for())

    def look(self, *, with_stacks: bool = True) -> Diagnosed:
        """The run now; of a silent one with the stacks of its processes."""
        snapshot = self._reader.read()
        name, ports = self._run.name, _ports(self._run)
        found = _answer(snapshot, lambda command: at_run(command, name, ports), is_run=True)
        found = replace(found, attribution=_attributed(self._run, snapshot.series), note=self._reader.unread)
        remember(self._run, int(snapshot.facts["attempts"]), found)
        primary = found.diagnosis.primary
        if not with_stacks or primary is None or not primary.id.startswith(_SILENT):
            return found
        from liverl.operate.stacks import stacks

        taken, why_not = stacks(self._run)
        return replace(found, stacks=taken, note="; ".join(filter(None, (found.note, why_not))))


def _answer(snapshot: Snapshot, pointed: Callable[[str], str], is_run: bool) -> Diagnosed:
    total = snapshot.facts.get("steps_total", 0)
    judged = judge(snapshot, catalogue())
    findings = tuple(replace(each, confirm=_short(pointed(each.confirm))) for each in judged.findings)
    return Diagnosed(
        source=snapshot.source,
        diagnosis=replace(judged, findings=findings),
        is_run=is_run,
        steps=len(snapshot.series),
        total=int(total) if isinstance(total, int | float) else 0,
        diagnosis_step=int(snapshot.series.steps[-1]) if len(snapshot.series) else 0,
    )


def _ports(run: RunDir) -> Mapping[str, int]:
    try:
        return read_run(run).ports
    except RunError:  # of a run that has not begun
        return {}


def _short(command: str) -> str:
    """The command, or none where a path makes it so long that an answer would have to cut it."""
    return command if len(command.encode(errors="surrogateescape")) <= _COMMAND_BYTES else ""


def _attributed(run: RunDir, series: Series) -> Attribution | None:
    return attribute(parse_trials(recent_objects(run.trials_jsonl, _TRIAL_BYTES)[0]), series)


@lru_cache(maxsize=1)
def _looked_for() -> tuple[tuple[LinePattern, ...], frozenset[str]]:
    writeups = catalogue()
    return patterns(writeups), metrics_of(writeups)


def _path(name: str) -> Path | None:
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _files_in(folder: Path) -> str:
    known = [path.name for path in sorted(folder.iterdir()) if path.suffix in _READABLE]
    return f"it holds {', '.join(known[:6])}" if known else "it holds no log"
