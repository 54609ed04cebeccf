"""What a model may look at. Everything here reads; there is no other tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from liverl.diagnose.catalogue import FOLDER, catalogue
from liverl.errors import LiveRLError
from liverl.operate.answer import as_json, without_nulls
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.triage.ground import Ground
from liverl.record.masking import mask

_ANSWER_CHARS = 6000
_POINTS = 60
_TRIALS = 30
_FIELDS = ("trial", "step", "outcome", "blame", "error")

_NUMBER = {"type": "integer"}
_TEXT = {"type": "string"}
_LOG = {"type": "string", "description": "another log than the run's own, such as litellm"}


@dataclass(frozen=True)
class Tool:
    """One thing to look at: its name and schema for the model, and what it answers."""

    name: str
    about: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    answer: Callable[[Mapping[str, Any]], Any]

    def schema(self) -> dict[str, Any]:
        """The tool as the Messages API takes it."""
        schema = {"type": "object", "properties": dict(self.properties), "required": list(self.required)}
        return {"name": self.name, "description": self.about, "input_schema": schema}


def tools_of(found: Diagnosed, ground: Ground) -> dict[str, Tool]:
    """The tools over one diagnosis and what it was made of."""
    listed = (
        Tool("diagnosis", "All findings with their evidence.", {}, (), lambda _: as_json(found)),
        Tool("writeup", "What is known of one failure, by a finding's id.", {"id": _TEXT}, ("id",), _writeup),
        Tool(
            "log_lines",
            "Lines of the log by number, at most 60.",
            {"first": _NUMBER, "last": _NUMBER, "log": _LOG},
            ("first", "last"),
            lambda given: (
                ground.lines(int(given["first"]), int(given["last"]), _log(given))
                or "there are no such lines"
            ),
        ),
        Tool(
            "search_log",
            "The first 20 lines that match a regular expression.",
            {"pattern": _TEXT, "log": _LOG},
            ("pattern",),
            lambda given: ground.search(str(given["pattern"]), log=_log(given)) or "no line matches",
        ),
        Tool(
            "metric",
            "A metric's values by step; without a name the names there are.",
            {"name": _TEXT, "first_step": _NUMBER, "last_step": _NUMBER},
            (),
            lambda given: _metric(ground, given),
        ),
        Tool("failed_trials", "Trials that failed, the newest first.", {}, (), lambda _: _failed(ground)),
    )
    return {tool.name: tool for tool in listed}


def answered(tool: Tool, given: Mapping[str, Any]) -> tuple[str, bool]:
    """What a tool says as text of at most 6000 characters, and whether that is an error."""
    if missing := [name for name in tool.required if name not in given]:
        return f"missing: {', '.join(missing)}", True
    try:
        answer = tool.answer(given)
    except (ValueError, TypeError, ArithmeticError, OSError, LiveRLError) as error:
        return f"not answered: {error}"[:500], True
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return (text if len(text) <= _ANSWER_CHARS else f"{text[:_ANSWER_CHARS]} … cut"), False


def _log(given: Mapping[str, Any]) -> str:
    return str(given.get("log") or "")


def _writeup(given: Mapping[str, Any]) -> str:
    known = {each.id: each for each in catalogue()}
    found = known.get(str(given["id"]))
    if found is None:
        raise ValueError(f"no write-up has the id {str(given['id'])[:60]}")
    return (FOLDER / found.path).read_text(encoding="utf-8")


def _metric(ground: Ground, given: Mapping[str, Any]) -> Any:
    name = str(given.get("name") or "")
    if not name:
        return sorted(ground.series.columns)
    first, last = int(given.get("first_step") or 0), int(given.get("last_step") or 1 << 62)
    told = [(step, value) for step, value in ground.metric(name) if first <= step <= last]
    if not told:
        raise ValueError(f"{name[:80]} was not measured in these steps")
    stride = max(1, len(told) // _POINTS)
    return {str(step): float(f"{value:.5g}") for step, value in told[::stride]}


def _failed(ground: Ground) -> Any:
    rows = [row for row in ground.trials.values() if row.outcome not in ("solved", "unsolved")][-_TRIALS:]
    told = [
        without_nulls({name: mask(str(getattr(row, name)))[:120] for name in _FIELDS})
        for row in reversed(rows)
    ]
    return told or "no trial failed, or none is recorded"
