"""verl's console line of a step: `step:N - key:value - key:value ...`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from liverl.record.tail import clean

_START = re.compile(r"(?:^|[\s\r])step:(\d+)(?: - |$)")
# numpy 2 prints its scalars with their type: np.float64(0.5).
_NUMBER = re.compile(r"^(?:[\w.]+\()?([-+]?(?:\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan))\)?$")


@dataclass(frozen=True)
class StepLine:
    """The numbers that one line gives for one step."""

    step: int
    values: dict[str, float] = field(default_factory=dict)


def parse_step(line: str) -> StepLine | None:
    """The step that a line reports, with every value that is a number; None when it reports none."""
    text = clean(line)
    start = _START.search(text)
    if start is None:
        return None
    pairs = (part.partition(":") for part in text[start.end() :].split(" - "))
    values = {key: number for key, _, value in pairs if (number := _number(value)) is not None}
    return StepLine(int(start.group(1)), values)


def last_step(lines: Iterable[str]) -> StepLine | None:
    """The newest step of some lines, the values of its several lines together."""
    newest: StepLine | None = None
    for line in lines:
        found = parse_step(line)
        if found is None:
            continue
        same = newest is not None and newest.step == found.step
        newest = StepLine(found.step, {**newest.values, **found.values} if same and newest else found.values)
    return newest


def _number(text: str) -> float | None:
    match = _NUMBER.match(text.strip())
    if match:
        return float(match.group(1))
    return {"True": 1.0, "False": 0.0}.get(text.strip())
