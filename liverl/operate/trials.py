"""Which trials a run had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.trials import TrialRow, read_trials

# What `--failed` means: everything that was not graded as solved or unsolved.
_GRADED = ("solved", "unsolved")


@dataclass(frozen=True)
class Wanted:
    """Which trials: None means any; `task` and `trial` match by their beginning."""

    step: int | None = None
    split: str | None = None
    task: str | None = None
    outcome: str | None = None
    blame: str | None = None
    failed: bool = False

    def matches(self, row: TrialRow) -> bool:
        """Whether a row is wanted."""
        return (
            (self.step is None or row.step == self.step)
            and (self.split is None or row.split == self.split)
            and (self.task is None or row.task.startswith(self.task))
            and (self.outcome is None or row.outcome == self.outcome)
            and (self.blame is None or row.blame == self.blame)
            and (not self.failed or row.outcome not in _GRADED)
        )


@dataclass(frozen=True)
class TrialList:
    """The wanted trials, oldest first, and how many there are in all."""

    name: str
    run_dir: str
    rows: tuple[TrialRow, ...]
    total: int

    def as_dict(self) -> dict[str, Any]:
        """The list as JSON, without the spans."""
        rows = [{key: value for key, value in row.as_dict().items() if key != "spans"} for row in self.rows]
        return {"name": self.name, "run_dir": self.run_dir, "total": self.total, "trials": rows}


def trials(run: RunDir, wanted: Wanted) -> TrialList:
    """The wanted trials of a run."""
    rows = read_trials(run)
    return TrialList(run.name, str(run.root), tuple(row for row in rows if wanted.matches(row)), len(rows))


def find_trial(run: RunDir, name: str) -> TrialRow:
    """The newest trial of a name, or of the only one that begins or ends so; raises `RunError`."""
    rows = read_trials(run)
    exact = [row for row in rows if row.trial == name]
    near = [row for row in rows if row.trial.startswith(name) or row.trial.endswith(name)]
    if exact:
        return exact[-1]
    if len({row.trial for row in near}) == 1:
        return near[-1]
    raise RunError(
        "trial.unknown",
        f"No trial of {run.name} is called {name}." if not near else f"Several trials match {name}.",
        evidence=", ".join(row.trial for row in near[:6]) or f"{len(rows)} trials in {run.trials_jsonl}",
        next_action=f"liverl trials {run.name}",
    )
