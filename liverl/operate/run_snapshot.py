"""A run's snapshot for a diagnosis: its metrics, its logs' lines, and facts about its state; only what is new is read.

RunReader   keeps what it has read of one run
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock

import numpy as np

from liverl.diagnose.snapshot import Snapshot
from liverl.errors import LiveRLError
from liverl.log.at_end import FACTS as AT_END
from liverl.log.reader import Reader
from liverl.log.series import Series
from liverl.log.sighting import LinePattern, Sighting
from liverl.log.told import Told
from liverl.operate.run_facts import facts_of, setting_of
from liverl.operate.status import Observer
from liverl.operate.trial_rows import TrialRows
from liverl.record.layout import RunDir
from liverl.record.trials import TrialRow

_NOTHING = Told("text", Series.empty())


class RunReader:
    """Takes snapshots of one run, each reading only what the run has gained; may be used by several threads.

    `unread` says which file of the last snapshot was there and could not be read, and why; `trials` are the newest
    trials at the last snapshot.
    """

    def __init__(self, run: RunDir, patterns: Sequence[LinePattern], wanted: frozenset[str] | None) -> None:
        self._run = run
        self._patterns, self._wanted = tuple(patterns), wanted
        self._observer = Observer(run)
        self._attempt = 0
        self.unread = ""
        self.trials: Sequence[TrialRow] = ()
        self._trials = TrialRows(run.trials_jsonl)
        self._metrics = Reader(run.metrics_jsonl, (), wanted)
        self._logs: dict[str, Reader] = {}
        self._lock = Lock()

    def read(self) -> Snapshot:
        """The run now; raises `RunError` when the directory is no run, or its record can't be read."""
        with self._lock:
            return self._read()

    def _read(self) -> Snapshot:
        status = self._observer.read()
        self._follow(status.attempt)
        self.unread = ""
        told = {name: self._told(reader) for name, reader in self._logs.items()}
        log = told["log"]
        metrics = self._told(self._metrics)
        series = _with_lines(metrics.series, log.series) if len(metrics.series) else log.series
        self.trials = self._trials.read()
        # Where a live run stands its status says.
        told_by_log = {name: value for name, value in log.facts.items() if name not in AT_END}
        facts = {**told_by_log, **_steps(series), **facts_of(self._run, status, self.trials)}
        setting = {**log.settings, **setting_of(self._run)}
        return Snapshot(self._run.name, "run", series, _joined(told), facts, setting)

    def _told(self, reader: Reader) -> Told:
        try:
            return reader.read()
        except LiveRLError as error:
            if error.code != "log.missing":  # not there yet, or gone: a run that boots has neither
                self.unread = f"{error.message} {error.evidence}".strip()
            return _NOTHING

    def _follow(self, attempt: int) -> None:
        if attempt == self._attempt and self._logs:
            return
        self._attempt = attempt
        paths = {
            "log": self._run.attempt_log(attempt),
            "litellm": self._run.component_log(attempt, "litellm"),
        }
        self._logs = {name: Reader(path, self._patterns, self._wanted) for name, path in paths.items()}


def _joined(told: Mapping[str, Told]) -> dict[str, Sighting]:
    """The sightings of several logs; where two have one, that of the run's own log."""
    joined: dict[str, Sighting] = {}
    for name, each in told.items():
        for key, found in each.sightings.items():
            joined.setdefault(key, found if name == "log" else _of(found, name))
    return joined


def _of(found: Sighting, source: str) -> Sighting:
    lines = tuple(replace(line, source=source) for line in found.first)
    return Sighting(found.count, lines, replace(found.last, source=source))


def _with_lines(series: Series, logged: Series) -> Series:
    """The metrics with the numbers of the log's lines that told the same steps."""
    lines = dict(zip(logged.steps.tolist(), logged.lines.tolist(), strict=True))
    return replace(series, lines=np.array([lines.get(step, 0) for step in series.steps.tolist()], np.int64))


def _steps(series: Series) -> dict[str, int]:
    if not len(series):
        return {"steps": 0}
    return {"steps": len(series), "first_step": int(series.steps[0]), "last_step": int(series.steps[-1])}
