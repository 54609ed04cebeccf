"""Progress bars (tqdm's): how far a training says that it has come.

Bars          the bars of a log, the training's own among them
interval_of   how many steps apart the rows of a log are
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BAR = re.compile(rb"%\|[^|\r\n]{0,400}\| *(\d+)/(\d+) \[([\d:]{4,12})<")
_NAME_BYTES = 64
_UNKNOWN = b"batches"
# A bar without a name that is through sooner, or makes more steps a second, is a loader's.
_TRAINING_S, _FASTEST = 10.0, 50.0
_TRAINING = re.compile(rb"^(?:.*\b)?(?:training|train|steps?|global|update|iteration|grpo|rl|ppo)\b", re.I)
_LOADING = re.compile(
    rb"token|load|map|filter|fetch|download|process|captur|compil|generat|eval|valid|shard|rollout|sampl|saving"
    rb"|epoch|micro|batch|infer|convert|build|render|warm|copy|sync",
    re.IGNORECASE,
)
# SkyRL's bar of its steps.
_TRAINED = re.compile(rb"(?:^|[ )])Training Batches Processed$")
# How many steps apart a trainer logs, as people set it.
_INTERVALS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 200, 250, 500, 1000)
_NEAR = 0.1
_FEWEST_ROWS = 10


class Progress(NamedTuple):
    """Steps done, steps planned, seconds since the bar appeared."""

    done: int
    total: int
    seconds: float


class Bars:
    """The bars of a log; the training's own is told apart from those of loaders and generators."""

    def __init__(self) -> None:
        self._named: Progress | None = None
        self._bare: dict[int, Progress] = {}

    def feed(self, raw: bytes) -> None:
        """Look for the last bar that a raw line draws."""
        at = raw.rfind(b"%|")
        if at < 0:
            return
        is_named, of_another = _whose(raw, at)
        if of_another and not self._bare:
            return
        found = _BAR.match(raw, at)
        if found is None:
            return
        told = Progress(_number(found.group(1)), _number(found.group(2)), _seconds(found.group(3)))
        if of_another:
            self._forget(told.total)
        elif is_named:
            self._named = told
        else:
            self._keep(told)

    def latest(self) -> Progress | None:
        """The newest state of the training's bar; of bars without a name the one that lasted longest."""
        if self._named is not None:
            return self._named
        return max(self._bare.values(), key=lambda each: each.seconds, default=None)

    def _forget(self, total: int) -> None:
        """A loader's bar may have no name when it is first drawn."""
        if total in self._bare and not self._bare[total].done:
            del self._bare[total]

    def _keep(self, told: Progress) -> None:
        is_quick = told.done >= told.total and (
            told.seconds < _TRAINING_S or told.done > _FASTEST * told.seconds
        )
        if is_quick:
            self._bare.pop(told.total, None)
        elif told.total in self._bare or len(self._bare) < 64:
            self._bare[told.total] = told


def is_other(raw: bytes) -> bool:
    """Whether the last bar of a raw line is a loader's or a generator's, by its name."""
    at = raw.rfind(b"%|")
    return at >= 0 and _whose(raw, at)[1]


def interval_of(rows: int, done: int) -> int:
    """How many steps apart rows without a step's number were logged, when so many steps (0: not known) were made."""
    if rows < _FEWEST_ROWS or done < rows:
        return 1
    every = done / rows
    nearest = min(_INTERVALS, key=lambda each: abs(each / every - 1))
    return nearest if abs(nearest / every - 1) <= _NEAR else 1


def _whose(raw: bytes, at: int) -> tuple[bool, bool]:
    """Whether a bar has a name, and whether that is another's than the training's."""
    name = _name(raw[max(0, at - _NAME_BYTES) : at])
    is_named = any(64 < byte < 128 for byte in name)
    if is_named and _TRAINED.search(name):
        return True, False
    return is_named, is_named and (not _TRAINING.match(name) or _LOADING.search(name) is not None)


def _name(lead: bytes) -> bytes:
    """What stands before a bar's percentage: its name, or nothing where it has none."""
    before = lead.rstrip(b"0123456789").rstrip(b" ")
    name = before.removesuffix(b":")
    for mark in (b"\r", b"|", b"]", b") ", b"\x1b"):
        name = name.rpartition(mark)[2]
    # `Capturing batches [1, 2]: 4%|` has one, though it ends in a bracket.
    return name.strip() or (_UNKNOWN if before.endswith(b":") else b"")


def _number(text: bytes) -> int:
    return min(int(text[:16]), 2**53)


def _seconds(text: bytes) -> float:
    total = 0
    for part in text.split(b":"):
        total = total * 60 + int(part or 0)
    return float(total)
