"""Rows that a console log prints as `step 7 | loss: 0.3 | reward=0.5`, in whatever form."""

from __future__ import annotations

import re

from liverl.log.formats.training import OF_A_TRAINING, is_of_training, known_of
from liverl.log.formats.values import NUMBER, number
from liverl.log.names import is_metric

_STEP = re.compile(
    r"(?i)(?<![\w/.])(?:_|train(?:ing|er)?/)?"
    r"(?:training[ _-]?step|train[ _-]?step|global[ _-]?step|step|iter(?:ation)?|update)\b"
    r"[ \]]{0,3}[:=#]?\s{0,3}\[?(\d{1,12})(?![\d.]*\d*%)(?:\s?/\s?(\d{1,12}))?"
)
_EPOCH = re.compile(r"(?i)(?<![\w/.])(?:epoch|episode)\b[ :=#\[]{0,3}(\d{1,9}(?:\.\d{1,9})?)")
_EPISODE = re.compile(r"(?i)(?<![\w/.])episode\b[ :=#\[]{0,3}(\d{1,9})(?![\d.])")
_PAIR = re.compile(
    rf"(?<![\w./@-])(?P<key>[A-Za-z_][\w./@-]*+(?:\.? [A-Za-z_][\w./@-]*+){{0,2}})\s?[=:]\s{{0,8}}"
    rf"(?P<value>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{NUMBER}|-?nan|[-+]?inf|NaN)(?P<unit>[a-zA-Z%]+(?:/[a-zA-Z]+)?)?"
    rf"(?:\s?(?:\+-|\+/-|±)\s?(?P<spread>{NUMBER}|nan))?(?=$|[\s|,;\])}}])"
)
_SPACED = re.compile(
    rf"(?:^|[|,:]\s?)(?P<key>[A-Za-z_][\w./ -]{{1,30}}?)\s+(?P<value>{NUMBER}|-?nan|-?inf)(?=\s?(?:[|,]|$))"
)
_WORDS = re.compile(rf"(?:^|(?<=\s))(?P<key>[A-Za-z_][\w./@-]*+) (?P<value>{NUMBER}|-?nan|-?inf)(?=\s|$)")
# 54.6M; a single small letter may be a unit of time or length.
_THOUSANDS = {"K": 1e3, "k": 1e3, "M": 1e6, "B": 1e9}
_LEAST = 2
# Of a line that counts nothing: other programs than trainers tell one or two of them.
_FEWEST_KNOWN = 3
_LONGEST = 4000


class Pairs:
    """The step (None: not told), the planned steps and the metrics of such lines, one after the other."""

    def __init__(self) -> None:
        self._before = 0
        self._epoch = 0.0
        self._last = 0
        # The episode of the newest row, while each row has one of its own.
        self._counted: int | None = -1
        self.total: int | None = None

    def parse(self, text: str) -> tuple[int | None, dict[str, float]] | None:
        """What a line tells; None where it is no row of a training."""
        if len(text) > _LONGEST:
            return None
        named = _STEP.search(text)
        epoch = _EPOCH.search(text)
        if named is None and epoch is None:
            return None
        row = _row(text)
        if len(row) < (1 if epoch and text.lstrip().startswith("[") else _LEAST):
            return None
        if not is_of_training(row):
            return None
        if named is None:
            return self._episode(text), row
        if named.group(2):
            self.total = int(named.group(2))
        return self._step(int(named.group(1)), float(epoch.group(1)) if epoch else 0.0), row

    def uncounted(self, text: str) -> dict[str, float] | None:
        """What a line tells that counts neither steps nor epochs; None where it is no row of a training."""
        if len(text) > _LONGEST:
            return None
        row = _row(text)
        return row if len(known_of(row) & OF_A_TRAINING) >= _FEWEST_KNOWN else None

    def _step(self, step: int, epoch: float) -> int:
        """The step within the run, where a log counts within each epoch."""
        if epoch > self._epoch and step <= self._last:
            self._before += self._last
        self._epoch, self._last = epoch, step
        return self._before + step

    def _episode(self, text: str) -> int | None:
        """The episode as the step, where each row is one."""
        if self._counted is None:
            return None
        found = _EPISODE.search(text)
        episode = int(found.group(1)) if found else -1
        self._counted = episode if episode > self._counted else None
        return self._counted


def row_until(text: str) -> dict[str, float]:
    """The pairs of a text that ends with one and tells no step; nothing of any other text."""
    matches = list(_PAIR.finditer(text))
    if not matches or matches[-1].end() < len(text) or _STEP.search(text):
        return {}
    return _row(text)


def _row(text: str) -> dict[str, float]:
    row: dict[str, float] = {}
    matches = list(_PAIR.finditer(text)) or list(_SPACED.finditer(text))
    if len(matches) < _LEAST:
        matches = [each for each in _WORDS.finditer(text) if is_metric(each.group("key"))] or matches
    for pair in matches:
        key = key_of(pair.group("key"))
        value = number(pair.group("value"))
        if value is None or not key:
            continue
        row[key] = value * _THOUSANDS.get(pair.groupdict().get("unit") or "", 1.0)
        spread = pair.groupdict().get("spread")
        if spread and (told := number(spread)) is not None:
            row[f"{key}_std"] = told
    return row


def key_of(text: str) -> str:
    """The longest end of the words before a value that is known; else the last word."""
    words = text.strip().split(" ")
    for begin in range(len(words)):
        name = " ".join(words[begin:])
        if is_metric(name):
            return name
        if is_metric(name.replace(" ", "_")):
            return name.replace(" ", "_")
    return words[-1]
