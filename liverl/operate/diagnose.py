"""What is wrong with a run, or with what a log or a file of metrics tells: the first cause with evidence and a cure.

diagnose        a run by its name, a file, or the newest run
diagnose_run    a run directory; a Doctor keeps what it has read
diagnose_file   any log, jsonl, csv or trainer_state.json; a FileDoctor keeps what it has read
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from liverl.diagnose.attribution import attribute
from liverl.diagnose.catalogue import catalogue, metrics_of, patterns
from liverl.diagnose.diagnose import diagnose as judge
from liverl.diagnose.finding import Missing
from liverl.diagnose.snapshot import Snapshot
from liverl.errors import RunError
from liverl.log.formats.detect import encoding_of
from liverl.log.reader import Reader
from liverl.log.sighting import LinePattern
from liverl.log.told import Told
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.find import Place, find_run, roots
from liverl.operate.pointed import at_file, at_run
from liverl.operate.remembered import remember
from liverl.operate.run_snapshot import RunReader
from liverl.operate.writer import still_written, writer_of
from liverl.record.layout import RunDir
from liverl.record.runfile import read_run
from liverl.run.roots import is_run

# A run that has been silent for so long beyond its own rhythm is worth the stacks of its processes.
_SILENT = ("run:stalled", "hang:")
# By settings: a metric that is told where one is on.
_SHOWN_BY = {
    "verl.actor_rollout_ref.rollout.calculate_log_probs=true": "training/rollout_probs_diff_mean",
}
_COMMAND_BYTES = 400
# gzip, bzip2, xz: the reader unpacks them.
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_CUT = "the packed file is cut or damaged: judged is what could be unpacked of it"
_SLOW = "the log was searched slowly: the package hyperscan is not installed"
_READABLE = (".log", ".out", ".txt", ".jsonl", ".csv", ".json")


def diagnose(name: str | None, place: Place, *, is_whole: bool = False) -> Diagnosed:
    """A file where the name is one's path, else the run of the name; raises `LiveRLError` where there is neither."""
    path = _path(name) if name else None
    if path is not None and not is_run(RunDir(path)):
        if path.is_dir():
            raise RunError(
                "diagnose.folder",
                f"{name} is a folder, and no run.",
                evidence=_files_in(path),
                next_action="name one file of it: a log, a jsonl, a csv or a trainer_state.json",
            )
        return replace(diagnose_file(path), is_whole=is_whole)
    if name and path is None and ("/" in name or Path(name).suffix in _READABLE):
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
    return FileDoctor(path).look()


class FileDoctor:
    """Diagnoses one file again and again, of one that grows each time reading only what is new."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = Reader(path, *_looked_for())

    def look(self) -> Diagnosed:
        """The file now; raises `LiveRLError` where it can't be read."""
        path, told = self._path, self._reader.read()
        writer = writer_of(path) if told.facts.get("ended") == "cut" else None
        facts = told.facts if writer is None else {**told.facts, **still_written(writer, path, told.facts)}
        snapshot = Snapshot(path.name, told.kind, told.series, told.sightings, facts, told.settings)
        found = _answer(snapshot, lambda command: at_file(command, path), is_run=False)
        found = replace(found, configured=_configured(told))
        beside = "; ".join(
            [f"{writer} still writes it"] * (writer is not None)
            + [_CUT] * ("unpacked_in_part" in told.facts)
            + [_SLOW] * (self._reader.search == "numpy")
        )
        says = bool(found.steps or found.diagnosis.findings)
        if says and (begun := _last_begins(snapshot)) > 1:
            attempts = int(told.facts["attempts"])
            earlier = f"judged is the last of {attempts} attempts, from line {begun} on"
            if told.kind == "console" and path.suffix not in (".gz", ".zst", ".xz", ".bz2"):
                earlier += (
                    f"; those before it: head -n {begun - 1} {shlex.quote(str(path))} | liverl diagnose -"
                )
            return replace(found, attempts=attempts, note="; ".join(filter(None, (earlier, beside))))
        return replace(found, note=beside if says else _no_log(path) or beside)


def _configured(told: Told) -> dict[str, str]:
    """The values that a file tells, by verl's names: of the configuration that it prints, and the learning rate of its
    rows."""
    rates = told.series.measured("actor/lr")
    # Of a schedule each row tells another one; what was set is the highest.
    of_rows = {"actor_rollout_ref.actor.optim.lr": f"{rates.max():.6g}"} if len(rates) else {}
    return {**of_rows, **told.configured}


def _last_begins(snapshot: Snapshot) -> int:
    """The line from which on a log tells the last of several attempts; 0 where it tells one, or one was resumed."""
    facts, series = snapshot.facts, snapshot.series
    if int(facts.get("attempts", 1)) < 2:
        return 0
    begun, first = int(facts.get("begun_line", 0)), int(series.lines[0]) if len(series) else 0
    is_of_last = begun and (begun <= first or not first)
    return begun if is_of_last else int(facts.get("attempt_line", 0))


def _no_log(path: Path) -> str:
    """Why a file in which nothing was found is probably none that can tell something; "" where it is a text."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    if not head:
        return "the file is empty"
    if head.startswith(_PACKED):
        return ""
    if head.startswith(b"PK\x03\x04"):
        return "the file is packed by zip: unpack it first"
    is_text = encoding_of(head) or sum(byte in b"\t\n\r\x1b" or byte >= 32 for byte in head) > 0.9 * len(head)
    if is_text and b"\0" not in head.strip(b"\0"):
        return ""
    return "the file is no text: name the log, or an export of the metrics as csv or jsonl"


class Doctor:
    """Diagnoses one run again and again, each time reading only what is new."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._reader = RunReader(run, *_looked_for())

    def look(self, *, with_stacks: bool = True) -> Diagnosed:
        """The run now; of a silent one with the stacks of its processes."""
        snapshot = self._reader.read()
        name, ports = _spoken(self._run), _ports(self._run)
        found = _answer(snapshot, lambda command: at_run(command, name, ports), is_run=True)
        attribution = attribute(self._reader.trials, snapshot.series)
        found = replace(found, attribution=attribution, note=self._reader.unread)
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
    unseen = tuple(each for each in judged.not_measured if not _is_on(each, snapshot))
    return Diagnosed(
        source=snapshot.source,
        diagnosis=replace(judged, findings=findings, not_measured=unseen),
        is_run=is_run,
        steps=len(snapshot.series),
        total=int(total) if isinstance(total, int | float) else 0,
        diagnosis_step=int(snapshot.series.steps[-1]) if len(snapshot.series) else 0,
    )


def _is_on(unseen: Missing, snapshot: Snapshot) -> bool:
    """Whether the setting that would measure a metric is on, as another metric shows: it is no advice."""
    return snapshot.series.has(_SHOWN_BY.get(unseen.setting, ""))


def _spoken(run: RunDir) -> str:
    """What a command calls a run: its name where that is looked for from here, else its path."""
    return run.name if run.root.parent in roots(Place.here()) else str(run.root)


def _ports(run: RunDir) -> Mapping[str, int]:
    try:
        return read_run(run).ports
    except RunError:  # of a run that has not begun
        return {}


def _short(command: str) -> str:
    """The command, or none where a path makes it so long that an answer would have to cut it."""
    return command if len(command.encode(errors="surrogateescape")) <= _COMMAND_BYTES else ""


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
    known = [
        path.name for path in sorted(folder.iterdir()) if path.suffix in _READABLE or "tfevents" in path.name
    ]
    return f"it holds {', '.join(known[:6])}" if known else "it holds no log"
