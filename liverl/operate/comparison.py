"""What comparing runs answers with: states, config differences, curves side by side, and what may be claimed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from liverl.operate.difference import CONFIDENCE, Difference

NOT_MEASURED = "not measured"
# What the values of all config differences may take as JSON, so that 4 runs stay under 2,500 tokens of 3.5 bytes.
CONFIG_BYTES = 2000
_SIGNIFICANT_DIGITS = 4


@dataclass(frozen=True)
class Side:
    """One of the runs: a name that none of the others has, where it lies, its state and its last step."""

    name: str
    run_dir: str
    state: str
    last_step: int | None


@dataclass(frozen=True)
class Setting:
    """A config key whose values differ, with each run's value as shown."""

    key: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Course:
    """One metric of one run: the last value, the best one where one is better, and those at the common steps."""

    last: float
    last_step: int
    best: float | None
    best_step: int | None
    values: tuple[float, ...]


@dataclass(frozen=True)
class Curves:
    """One metric of all runs: its name, the common steps, and each run's course; None where it was not measured."""

    metric: str
    steps: tuple[int, ...]
    courses: tuple[Course | None, ...]


@dataclass(frozen=True)
class Verdict:
    """What the validations of the last step that all validated allow to claim against the first run.

    `means` and `trials` are each run's; `differences` are those of the runs behind the first, None where there is no
    interval; `why_none` says why nothing can be claimed, where it isn't the intervals.
    """

    step: int | None = None
    means: tuple[float, ...] = ()
    trials: tuple[int, ...] = ()
    differences: tuple[Difference | None, ...] = ()
    why_none: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two or more runs side by side; `notes` say what could not be compared and what the numbers do not show."""

    sides: tuple[Side, ...]
    settings: tuple[Setting, ...]
    curves: tuple[Curves, ...]
    verdict: Verdict
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True: that runs differ is no failure."""
        return True

    @property
    def summary(self) -> str:
        """The difference of the validation means with its interval, or why there is none."""
        return _sentence(self)

    @property
    def next_action(self) -> str:
        """The validation trials behind the verdict, or how the first run is doing."""
        first = self.sides[0].name
        return f"liverl trials {first} --split val" if self.verdict.means else f"liverl status {first}"

    def payload(self) -> dict[str, Any]:
        """The comparison as JSON: every list of values is in the order of `runs`."""
        shown = shown_settings(self.settings)
        return {
            "runs": [_side(side) for side in self.sides],
            "config": {setting.key: list(setting.values) for setting in shown},
            "config_keys_left_out": len(self.settings) - len(shown) or None,
            "curves": {curves.metric: _curves(curves) for curves in self.curves},
            "validation": _verdict(self),
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """The comparison as text, within 110 columns for two or three runs."""
        from liverl.operate.comparison_text import render

        return render(self)


def shown_settings(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """The first ones, as many as fit."""
    left = CONFIG_BYTES
    for count, setting in enumerate(settings):
        left -= len(json.dumps({setting.key: setting.values}).encode())
        if left < 0:
            return settings[:count]
    return settings


def rounded(value: float) -> float:
    """The value with four significant digits: more would be noise, and tokens."""
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}")


def _side(side: Side) -> dict[str, Any]:
    step = NOT_MEASURED if side.last_step is None else side.last_step
    return {"name": side.name, "state": side.state, "last_step": step, "run_dir": side.run_dir}


def _curves(curves: Curves) -> dict[str, Any] | str:
    if not any(curves.courses):
        return NOT_MEASURED
    return {"steps": list(curves.steps), "runs": [_course(course) for course in curves.courses]}


def _course(course: Course | None) -> dict[str, Any] | str:
    if course is None:
        return NOT_MEASURED
    told: dict[str, Any] = {"last": rounded(course.last), "last_step": course.last_step}
    if course.best is not None:
        told |= {"best": rounded(course.best), "best_step": course.best_step}
    return told | {"values": [rounded(value) for value in course.values]}


def _verdict(comparison: Comparison) -> dict[str, Any]:
    verdict = comparison.verdict
    base = comparison.sides[0].name
    against = [
        {"run": side.name, **_difference(found)}
        for side, found in zip(comparison.sides[1:], verdict.differences, strict=False)
    ]
    return {
        "step": verdict.step,
        "means": [rounded(mean) for mean in verdict.means],
        "trials": list(verdict.trials),
        "against": base if against else None,
        "confidence": CONFIDENCE if against else None,
        "differences": against,
        "nothing_claimed": verdict.why_none,
    }


def _difference(found: Difference | None) -> dict[str, Any]:
    if found is None:
        return {"claim": "none", "interval": NOT_MEASURED}
    return {
        "difference": rounded(found.value),
        "interval": [rounded(found.low), rounded(found.high)],
        "claim": found.claim,
    }


def _sentence(comparison: Comparison) -> str:
    verdict, (base, *others) = comparison.verdict, comparison.sides
    if verdict.why_none:
        return f"{verdict.why_none}: no difference can be claimed"
    if len(others) == 1:
        return _of_two(verdict, _short(base.name), _short(others[0].name))
    return _of_many(verdict, _short(base.name, 24), [_short(side.name, 24) for side in others])


def _of_two(verdict: Verdict, base: str, other: str) -> str:
    (found,) = verdict.differences
    means = f"{other} {verdict.means[1]:.3f}, {base} {verdict.means[0]:.3f}"
    head = f"validation at step {verdict.step}: {means}"
    if found is None:
        return f"{head}: no interval, so no difference can be claimed"
    interval = f"{found.value:+.3f} ({CONFIDENCE:.0%} {found.low:+.3f} to {found.high:+.3f})"
    claim = f"{other} is {found.claim}" if found.claim != "none" else "no difference can be claimed"
    return f"{head}: {interval}, {claim}"


def _of_many(verdict: Verdict, base: str, others: Sequence[str]) -> str:
    """How the others stand to the first; each claim holds for all of them together."""
    claims = [found.claim if found else "none" for found in verdict.differences]
    told = [
        f"{names[0] if len(names) == 1 else f'{len(names)} runs'} {word}"
        for word in ("higher", "lower")
        if (names := [name for name, claim in zip(others, claims, strict=True) if claim == word])
    ]
    head = f"validation at step {verdict.step} against {base}"
    if not told:
        return f"{head}: no difference can be claimed"
    none = claims.count("none")
    rest = [f"no difference can be claimed for the other {none}"] if none else []
    return f"{head} ({CONFIDENCE:.0%} for all together): {'; '.join([*told, *rest])}"


def _short(name: str, most: int = 36) -> str:
    """The end of a name: that is where runs of one kind differ."""
    return name if len(name) <= most else f"…{name[1 - most :]}"
