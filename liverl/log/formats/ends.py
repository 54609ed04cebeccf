"""Metrics of which somebody wrote down the way they went: `kl: 0.002 -> 2.7`, `grad norm from 0.4 to 54.6M`."""

from __future__ import annotations

import re

from liverl.log.formats.pairs import key_of
from liverl.log.formats.rows import Rows
from liverl.log.formats.training import is_of_training, known_of
from liverl.log.formats.values import NUMBER, number
from liverl.log.names import Names

# What somebody keeps by hand.
MOST_BYTES = 8 << 10
_VALUE = rf"(?:{NUMBER}[KMB]?|nan|NaN|inf)"
_WAY = re.compile(
    r"^[\s>*•|-]{0,8}(?P<key>[A-Za-z_][\w./@-]*(?: [A-Za-z_][\w./@-]*){0,3}?)[`*]{0,2}"
    rf"\s?(?:[:=|]|\bfrom\b)?\s{{0,8}}"
    rf"(?:from )?[~≈]?(?P<values>{_VALUE}%?(?:\s?(?:->|→|⟶|=>|-->|to)\s?[~≈]?{_VALUE}%?){{1,2}})(?=$|[\s,;|).(])"
)
_PART = re.compile(r"\s?(?:-->|->|→|⟶|=>|to)\s?[~≈]?")
_STEPS = frozenset(("step", "steps", "global_step", "iteration", "iterations", "iters"))
_SHARE = 0.5


def end_rows(content: bytes) -> Rows:
    """A row for the beginning, one for the end, and one for what is between where that is told; none of other text."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES:
        return rows
    lines = [line for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    ways: dict[str, list[float | None]] = {}
    for line in lines:
        if (found := _WAY.match(line)) is not None:
            key = found.group("key").strip()
            name = key.lower() if key.lower() in _STEPS else key_of(key)
            ways.setdefault(name, [number(each.rstrip("%")) for each in _PART.split(found.group("values"))])
    steps = next((ways.pop(name) for name in list(ways) if name in _STEPS), None)
    count = max((len(each) for each in ways.values()), default=0)
    told = {name: each for name, each in ways.items() if len(each) == count and known_of((name,))}
    if not is_of_training(told) or len(ways) < _SHARE * len(lines):
        return rows
    for at in range(count):
        step = steps[at] if steps is not None and len(steps) == count else None
        row = {name: value for name, each in told.items() if (value := each[at]) is not None}
        rows.add(row, at + 1 if step is None else int(step))
    return rows
