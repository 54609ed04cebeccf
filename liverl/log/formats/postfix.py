"""Rows that a progress bar tells behind its speed: `12/300 [00:10<04:00, 1.2s/it, loss=0.3, reward=0.2]`."""

from __future__ import annotations

import re

from liverl.log.formats.pairs import scaled
from liverl.log.formats.training import is_of_training
from liverl.log.formats.values import NOT_FINITE, NUMBER, bared, number

_BAR = re.compile(
    r"(?<![\d.])(\d{1,12})/(\d{1,12}) \[[\d:?]{1,12}<[\d:?, ]{1,16}(?:\?|[\d.]{1,12})(?:s/it|it/s), "
    r"([^\[\]]{3,2000})(?:\]|$)"
)
_PAIR = re.compile(
    rf"(?P<key>[A-Za-z_][\w./@ -]{{0,60}}?)\s?[=:]\s?(?P<value>{NUMBER}|{NOT_FINITE})(?P<unit>%)?(?=$|[\s,])"
)
# A bar that is named by its epoch.
_NAMED_EPOCH = re.compile(r"[Tt]rain(?:ing)? (?:step of )?[Ee]poch (\d{1,6}):")
_FEWEST = 2
# A bar's counts and times, before its speed.
_BEFORE = 64
_LONGEST = 32_768


class Postfixes:
    """The step and the metrics of such bars, one after the other."""

    def __init__(self) -> None:
        self._before = 0
        self._last = 0
        self._epoch: int | None = None
        # The length of the bar of which more than the end is told, how many ends there were of others, and what the
        # last of them told.
        self._drawn: int | None = None
        self._ends = 0
        self._told: dict[str, float] = {}

    def parse(self, text: str) -> tuple[int, dict[str, float]] | None:
        """What the last bar of a text tells; None where it is no row of a training."""
        found = _bar_of(text)
        if found is None:
            return None
        row = _row(found.group(3))
        if len(row) < _FEWEST or not is_of_training(row):
            return None
        named = _NAMED_EPOCH.search(text, 0, found.start())
        epoch = int(named.group(1)) if named else None
        return self._step(int(found.group(1)), int(found.group(2)), row, epoch), row

    def evaluated(self, text: str) -> dict[str, float]:
        """The losses that the last bar of a text tells, as an evaluation of held-out pairs has one."""
        found = _bar_of(text)
        row = {} if found is None else _row(found.group(3))
        return {name: value for name, value in row.items() if name.startswith("eval")}

    def _step(self, done: int, total: int, row: dict[str, float], epoch: int | None) -> int:
        """The step within the run, where a bar is drawn anew for each epoch; of one whose ends alone are told, how
        many these are: that of an update within each step, too."""
        if done == total and total != self._drawn:
            self._ends += row != self._told
            self._told = row
            return self._ends
        self._drawn = total
        if done < self._last == total or (
            epoch is not None and self._epoch is not None and epoch > self._epoch
        ):
            self._before += total
        self._epoch = epoch
        self._last = done
        return self._before + done


def _bar_of(text: str) -> re.Match[str] | None:
    """The last bar of a text that tells its speed and something behind it."""
    if len(text) > _LONGEST:
        return None
    speed = max(text.rfind("s/it, "), text.rfind("it/s, "))
    return next(_BAR.finditer(text, max(0, speed - _BEFORE)), None) if speed >= 0 else None


def _row(text: str) -> dict[str, float]:
    row = {}
    for pair in _PAIR.finditer(bared(text)):
        value = number(pair.group("value"))
        if value is not None:
            row[pair.group("key").strip()] = scaled(value, pair.group("unit") or "")
    return row
