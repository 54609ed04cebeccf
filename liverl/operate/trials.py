"""Which trials a run had."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from liverl.errors import RunError
from liverl.operate.answer import cut
from liverl.record.jsonl import recent_objects
from liverl.record.layout import RunDir
from liverl.record.trials import BLAMES, OUTCOMES, TrialRow, parse_trials

# What `--failed` means: everything that was not graded as solved or unsolved.
_GRADED = ("solved", "unsolved")
# Some twenty thousand trials, read in a second; older ones are looked for in trials.jsonl itself.
_READ_BYTES = 32 * 1024 * 1024
_ERROR_CHARS = 60


@dataclass(frozen=True)
class Wanted:
    """Which trials: None means any; `task` matches by its beginning; `last` is how many are shown, 0 all."""

    step: int | None = None
    split: str | None = None
    task: str | None = None
    outcome: str | None = None
    blame: str | None = None
    failed: bool = False
    last: int = 40

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
    """The wanted trials, oldest first, how many are shown of them, and how many there are in all."""

    name: str
    run_dir: str
    rows: tuple[TrialRow, ...]
    total: int
    last: int = 0
    is_whole: bool = True
    ok: bool = True

    @property
    def shown(self) -> tuple[TrialRow, ...]:
        """The newest of the wanted ones."""
        return self.rows[-self.last :] if self.last > 0 else self.rows

    @property
    def summary(self) -> str:
        """How many, by outcome."""
        of = f"{self.total}" if self.is_whole else f"the last {self.total}"
        outcomes = ", ".join(f"{count} {name}" for name, count in self._outcomes())
        return cut(
            f"{len(self.rows)} of {of} trials of {self.name}" + (f": {outcomes}" if outcomes else ""), 200
        )

    @property
    def next_action(self) -> str:
        """One of them, from its first message to its reward."""
        return (
            f"liverl show {self.shown[-1].trial} --run {self.name}"
            if self.shown
            else f"liverl status {self.name}"
        )

    def payload(self) -> dict[str, Any]:
        """The shown trials, one short object each."""
        counts = {"total": self.total, "matching": len(self.rows)}
        return {"run": self.name, **counts, "trials": [_short(row) for row in self.shown]}

    def _outcomes(self) -> list[tuple[str, int]]:
        return Counter(row.outcome for row in self.rows).most_common()


def trials(run: RunDir, wanted: Wanted) -> TrialList:
    """The wanted trials of a run; raises `RunError` for an outcome or a blame that no trial can have."""
    for name, given, known in (("outcome", wanted.outcome, OUTCOMES), ("blame", wanted.blame, BLAMES)):
        if given is not None and given not in known:
            raise RunError(
                "trial.no_such",
                f"No trial has the {name} {given!r}.",
                next_action=f"one of {', '.join(filter(None, known))}",
            )
    rows, is_whole = _rows(run)
    matching = tuple(row for row in rows if wanted.matches(row))
    return TrialList(run.name, str(run.root), matching, len(rows), wanted.last, is_whole)


def _rows(run: RunDir) -> tuple[list[TrialRow], bool]:
    objects, is_whole = recent_objects(run.trials_jsonl, _READ_BYTES)
    return parse_trials(objects), is_whole


def _short(row: TrialRow) -> dict[str, Any]:
    return {
        "trial": row.trial,
        "split": row.split,
        "step": row.step,
        "outcome": row.outcome,
        "reward": row.reward,
        "turns": row.turns,
        "tokens": row.prompt_tokens + row.completion_tokens,
        "seconds": round(row.seconds.get("total", 0.0), 1),
        "blame": row.blame,
        "error": cut(row.error, _ERROR_CHARS),
    }


def find_trial(run: RunDir, name: str) -> TrialRow:
    """The newest trial of a name, or of the only one that begins or ends so; raises `RunError`."""
    rows, is_whole = _rows(run)
    exact = [row for row in rows if row.trial == name]
    near = [row for row in rows if row.trial.startswith(name) or row.trial.endswith(name)]
    if exact:
        return exact[-1]
    if len({row.trial for row in near}) == 1:
        return near[-1]
    raise RunError(
        "trial.unknown",
        f"No trial of {run.name} is called {name}." if not near else f"Several trials match {name}.",
        evidence=", ".join(row.trial for row in near[:6])
        or f"{len(rows)} trials in {run.trials_jsonl}" + ("" if is_whole else ", only its end was looked at"),
        next_action=f"liverl trials {run.name}",
    )
