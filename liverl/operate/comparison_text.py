"""A comparison of runs as a table for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from liverl.operate.comparison import NOT_MEASURED, Comparison, Course, Curves, rounded, shown_settings

WIDTH = 110
_LABEL = 34
_POINT = 8
_NARROWEST = 16


def render(comparison: Comparison) -> list[str]:
    """The lines: overview, config differences, curves, notes, what may be claimed, what to do next."""
    width = max(_NARROWEST, (WIDTH - _LABEL) // len(comparison.sides))
    names = [side.name for side in comparison.sides]
    lines = [
        _row("", names, width),
        _row("state", [side.state for side in comparison.sides], width),
        _row("last step", [_or_dash(side.last_step) for side in comparison.sides], width),
        *(
            _row(_title(curves), [_ends(course) for course in curves.courses], width)
            for curves in comparison.curves
        ),
        "",
        *_config(comparison, width),
    ]
    for curves in comparison.curves:
        lines += _points(curves, names)
    lines.append("")
    for text in (*comparison.notes, comparison.summary, f"next: {comparison.next_action}"):
        lines += wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.rstrip() for line in lines]


def _config(comparison: Comparison, width: int) -> Iterator[str]:
    shown = shown_settings(comparison.settings)
    yield "config: what differs" if shown else "config: nothing differs"
    for setting in shown:
        yield _row(f"  {setting.key}", [_text(value) for value in setting.values], width)
    if len(shown) < len(comparison.settings):
        yield f"  and {len(comparison.settings) - len(shown)} keys more"


def _points(curves: Curves, names: Sequence[str]) -> Iterator[str]:
    if not curves.steps:
        return
    yield ""
    label = WIDTH - _POINT * len(curves.steps) if len(curves.steps) >= 9 else _LABEL
    steps = "".join(f"{step:>{_POINT}}" for step in curves.steps)
    yield _fit(f"{curves.metric}, at step", label) + steps
    for name, course in zip(names, curves.courses, strict=True):
        if course is not None:
            yield _fit(f"  {name}", label) + "".join(f"{_number(value):>{_POINT}}" for value in course.values)


def _row(label: str, cells: Sequence[str], width: int) -> str:
    return _fit(label, _LABEL) + "".join(_fit(cell, width) for cell in cells)


def _fit(text: str, width: int) -> str:
    """The text in a column, a space behind it; of a longer one its end, where names and keys differ."""
    indent = len(text) - len(text.lstrip())
    if len(text) >= width:
        text = f"{text[:indent]}…{text[indent + 2 - width :]}"
    return text.ljust(width)


def _title(curves: Curves) -> str:
    has_best = any(course is not None and course.best is not None for course in curves.courses)
    return f"{curves.metric}: last (best)" if has_best else f"{curves.metric}: last"


def _ends(course: Course | None) -> str:
    if course is None:
        return NOT_MEASURED
    best = "" if course.best is None else f" ({_number(course.best)} at {course.best_step})"
    return f"{_number(course.last)}{best}"


def _number(value: float) -> str:
    """At most seven characters."""
    text = f"{rounded(value):g}"
    return text if len(text) < _POINT else f"{value:.1e}"


def _or_dash(step: int | None) -> str:
    return NOT_MEASURED if step is None else str(step)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else "''"
