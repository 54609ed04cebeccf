"""trials.jsonl: one row a finished trial, appended by the agent-loop workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from liverl.record.jsonl import append_object, read_objects
from liverl.record.layout import RunDir
from liverl.record.shapes import dict_of, listed, optional, real, text, whole

OUTCOMES = ("solved", "unsolved", "timeout", "overlong", "max_turns", "agent_error", "infrastructure")
BLAMES = ("", "agent", "sandbox", "gateway", "engine", "verifier")
PHASES = ("queue", "sandbox", "agent", "generation", "commands", "verifier", "total")
SPAN_KINDS = ("generation", "sandbox", "command", "verifier")


@dataclass(frozen=True)
class TrialRow:
    """One finished trial.

    `time` is when it ended; `step` the training step it belongs to; `reward` is None exactly when `outcome`
    is `infrastructure`; `seconds` is by phase; `spans` are (kind, start, end) with times since 1970; `path`
    is the trial's folder, relative to the run directory.
    """

    time: str
    task: str
    trial: str
    split: str
    step: int
    weight_version: int
    group: str
    outcome: str
    blame: str
    reward: float | None
    turns: int
    prompt_tokens: int
    completion_tokens: int
    sequences: int
    tries: int
    seconds: dict[str, float] = field(default_factory=dict)
    spans: list[tuple[str, float, float]] = field(default_factory=list)
    path: str = ""
    error: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The row as flat JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> TrialRow:
        """The row of flat JSON; unknown keys are ignored.

        Raises `TypeError` or `ValueError` when a key is missing or has another type.
        """
        return cls(**{name: read(row[name]) for name, read in _READ.items() if name in row})


def _spans(value: object) -> list[tuple[str, float, float]]:
    return [_span(kind, start, end) for kind, start, end in listed(value)]


def _span(kind: object, start: object, end: object) -> tuple[str, float, float]:
    # Most of a row, hence the short way for what is as it should be.
    if kind in SPAN_KINDS and type(start) is float and type(end) is float and 0.0 <= start <= end < 1e15:
        return str(kind), start, end
    return text(kind), real(start), real(end)


_READ: dict[str, Callable[[object], Any]] = {
    "time": text,
    "task": text,
    "trial": text,
    "split": text,
    "step": whole,
    "weight_version": whole,
    "group": text,
    "outcome": text,
    "blame": text,
    "reward": optional(real),
    "turns": whole,
    "prompt_tokens": whole,
    "completion_tokens": whole,
    "sequences": whole,
    "tries": whole,
    "seconds": dict_of(real),
    "spans": _spans,
    "path": text,
    "error": text,
}


def append_trial(run: RunDir, row: TrialRow) -> None:
    """Append a row in one write, so that many workers can share the file."""
    append_object(run.trials_jsonl, row.as_dict())


def read_trials(run: RunDir) -> list[TrialRow]:
    """Every row, oldest first; a torn line is skipped."""
    return parse_trials(list(read_objects(run.trials_jsonl)))


def parse_trials(objects: list[dict[str, Any]]) -> list[TrialRow]:
    """The rows among some objects; those that aren't one are skipped."""
    rows = []
    for item in objects:
        try:
            rows.append(TrialRow.from_dict(item))
        except (TypeError, ValueError):
            continue
    return rows
