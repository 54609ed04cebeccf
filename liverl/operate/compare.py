"""Two or more runs beside each other: what was set differently, how it went, and what may be claimed of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from liverl.config.source import parse
from liverl.errors import RunError
from liverl.operate.comparison import Comparison, Course, Curves, Setting, Side, Verdict
from liverl.operate.curves import (
    METRICS,
    POINTS,
    SCORED,
    SPREAD,
    VALIDATION,
    Measurements,
    Metric,
    common_points,
    read_measurements,
)
from liverl.operate.difference import Sample, difference
from liverl.record.layout import RunDir
from liverl.run.liveness import read_liveness

MOST_RUNS = 8
NOT_SET = "not set"
_VALUE_CHARS = 48
# Where a run lay and listened says nothing of what it learned: shown behind everything else.
_LAST_SECTIONS = ("experiment", "infrastructure", "environment", "logging")
_TASKS = "data.val"
_ONE_RUN_EACH = (
    "Intervals are of these policies on these tasks; another seed of one config may differ by more."
)
_NO_INTERVAL = "No interval where the trials were not counted, or rewards are not in 0 to 1."


def compare(runs: Sequence[RunDir]) -> Comparison:
    """Two to eight runs side by side, the first being what the others are held against.

    A run without metrics or config is compared by what it has. Raises `RunError` for too few or too many runs, the
    same one twice, and a folder that is no run.
    """
    _refuse(runs)
    names = _names(runs)
    measured = [read_measurements(run) for run in runs]
    configs = [_config(run) for run in runs]
    sides = [
        Side(name, str(run.root), _state(run), each.last_step)
        for name, run, each in zip(names, runs, measured, strict=True)
    ]
    points = POINTS if len(runs) <= 4 else POINTS // 2
    verdict = _judge(measured, configs)
    return Comparison(
        sides=tuple(sides),
        settings=config_differences([config for config in configs if config is not None], configs),
        curves=tuple(_curves(metric, measured, points) for metric in METRICS),
        verdict=verdict,
        notes=tuple(_notes(sides, configs, verdict)),
    )


def config_differences(
    known: Sequence[Mapping[str, Any]], configs: Sequence[Mapping[str, Any] | None]
) -> tuple[Setting, ...]:
    """The keys whose values differ among the known configs; a run whose config is unknown has `unknown`."""
    keys = {key: None for config in known for key in config}
    differing = [
        key for key in keys if any(config.get(key, NOT_SET) != known[0].get(key, NOT_SET) for config in known)
    ]
    ordered = sorted(differing, key=lambda key: key.partition(".")[0] in _LAST_SECTIONS)
    return tuple(Setting(key, tuple(_shown(key, configs))) for key in ordered)


def _refuse(runs: Sequence[RunDir]) -> None:
    if not 2 <= len(runs) <= MOST_RUNS:
        raise RunError(
            "compare.count",
            f"Compare two to {MOST_RUNS} runs.",
            evidence=f"{len(runs)} given",
            next_action="liverl status --list",
        )
    seen: dict[Path, str] = {}
    for run in runs:
        place = run.root.resolve()
        if place in seen:
            raise RunError(
                "compare.same_run",
                "The same run is given twice.",
                evidence=f"{seen[place]} and {run.name} are {place}",
                next_action="liverl status --list",
            )
        seen[place] = run.name


def _names(runs: Sequence[RunDir]) -> list[str]:
    """The runs' names; their paths where two runs of different folders have one name."""
    names = [run.name for run in runs]
    return names if len(set(names)) == len(names) else [str(run.root) for run in runs]


def _state(run: RunDir) -> str:
    try:
        return read_liveness(run).state
    except RunError as error:
        if error.code == "run.no_run_file":
            raise
        return "unknown"


def _config(run: RunDir) -> dict[str, Any] | None:
    """Every value of resolved.yaml by dotted key; None when it is missing or torn."""
    try:
        layer = parse(run.resolved.read_text(encoding="utf-8"), run.resolved.name)
    except (OSError, UnicodeDecodeError, RecursionError):
        return None
    return dict(layer.values) if layer.values and not layer.problems else None


def _shown(key: str, configs: Sequence[Mapping[str, Any] | None]) -> list[Any]:
    values = ["unknown" if config is None else config.get(key, NOT_SET) for config in configs]
    folders = [value for value in values if isinstance(value, str) and value.startswith("/")]
    shared = os.path.commonpath([Path(folder).parent for folder in folders]) if len(folders) > 1 else "/"
    return [_short(value, shared) for value in values]


def _short(value: Any, shared: str) -> Any:
    """A value as shown: a path without what all have in common, a long text without its middle."""
    if value is None or isinstance(value, bool | int | float):
        return "null" if value is None else value
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if shared != "/" and text.startswith(f"{shared}/"):
        text = f"…/{text.removeprefix(f'{shared}/')}"
    half = _VALUE_CHARS // 2
    return text if len(text) <= _VALUE_CHARS else f"{text[: half - 1]}…{text[-half:]}"


def _curves(metric: Metric, measured: Sequence[Measurements], points: int) -> Curves:
    curves = [each.curve(metric) for each in measured]
    present = [curve for curve in curves if curve.steps]
    steps, values = common_points(present, points)
    found = iter(values or [[] for _ in present])
    courses: list[Course | None] = []
    for curve in curves:
        if not curve.steps:
            courses.append(None)
            continue
        best, best_step = curve.best(metric.better) or (None, None)
        courses.append(Course(curve.values[-1], curve.steps[-1], best, best_step, tuple(next(found))))
    return Curves(metric.name, tuple(steps), tuple(courses))


def _judge(measured: Sequence[Measurements], configs: Sequence[Mapping[str, Any] | None]) -> Verdict:
    folders = {str(config[_TASKS]) for config in configs if config is not None and _TASKS in config}
    if len(folders) > 1 and len({_task_names(Path(folder)) for folder in folders}) > 1:
        return Verdict(why_none="they were validated on different tasks")
    curves = [each.curve(VALIDATION) for each in measured]
    common = set.intersection(*(set(curve.steps) for curve in curves))
    if not common:
        return Verdict(why_none="no step was validated by all of them")
    step = max(common)
    samples = [_sample(each, step) for each in measured]
    base, others = samples[0], samples[1:]
    return Verdict(
        step=step,
        means=tuple(sample.mean for sample in samples),
        trials=tuple(sample.trials for sample in samples),
        differences=tuple(difference(sample, base, len(others)) for sample in others),
    )


def _task_names(folder: Path) -> frozenset[str]:
    """The tasks of a folder by name; of a folder that is gone, itself."""
    return frozenset(path.parent.name for path in folder.glob("*/task.toml")) or frozenset({str(folder)})


def _sample(measured: Measurements, step: int) -> Sample:
    """The validation of a step; without a number of trials where it was not recorded."""
    mean, spread, trials = (measured.curve(metric).at(step) for metric in (VALIDATION, SPREAD, SCORED))
    return Sample(mean or 0.0, spread or 0.0, int(trials or 0) if spread is not None else 0)


def _notes(sides: Sequence[Side], configs: Sequence[Mapping[str, Any] | None], verdict: Verdict) -> list[str]:
    notes = [
        f"{side.name}: its resolved.yaml is missing or can't be read, so its config is unknown."
        for side, config in zip(sides, configs, strict=True)
        if config is None
    ]
    notes += [f"{side.name}: it has no metrics yet." for side in sides if side.last_step is None]
    if any(found is not None for found in verdict.differences):
        notes.append(_ONE_RUN_EACH)
    if any(found is None for found in verdict.differences):
        notes.append(_NO_INTERVAL)
    return notes
