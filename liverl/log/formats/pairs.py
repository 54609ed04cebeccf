"""Rows that a console log prints as `step 7 | loss: 0.3 | reward=0.5`, in whatever form."""

from __future__ import annotations

import re

from liverl.log.beside import MAY_MEAN
from liverl.log.formats.training import OF_A_TRAINING, is_of_training, known_of
from liverl.log.formats.values import BEYOND, NOT_FINITE, NUMBER, bared, number, told
from liverl.log.names import VALIDATION as _SCORE
from liverl.log.names import is_metric, verl_names

_STEP = re.compile(
    r"(?i)(?<![\w/.])(?:_|train(?:ing|er)?/|metrics/)?"
    r"(?:training[ _-]?step|train[ _-]?step|global[ _-]?step|step|iter(?:ation)?|update"
    r"|rollout(?= {1,3}\d{1,12}\s?[/:]))\b"
    r"[ \]]{0,3}[:=#]?\s{0,3}[\[\"']?(\d{1,12})(?![\d.]*\d*%)(?:\s?(?:/|of)\s?(\d{1,12}))?"
)
_EPOCH = re.compile(r"(?i)(?<![\w/.])(?:epoch|episode)\b[ :=#\[]{0,3}(\d{1,9}(?:\.\d{1,9})?)")
_EPISODE = re.compile(r"(?i)(?<![\w/.])episode\b[ :=#\[]{0,3}(\d{1,9})(?![\d.])(?:\s?(?:/|of)\s?(\d{1,9}))?")
_PAIR = re.compile(
    rf"(?<![\w./@-])(?P<key>[A-Za-z_][\w./@-]*+(?:\.? [A-Za-z_][\w./@-]*+){{0,2}})"
    rf"(?: ?\((?:mean|avg|average)\))?(?:[*`]{{0,3}}\s{{0,40}}[=:][*`]{{0,3}}|\s?\.{{4,60}}:?)\s{{0,24}}[\"']?"
    rf"(?P<value>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{NUMBER}|{NOT_FINITE})(?P<unit>[a-zA-Z%]+(?:/[a-zA-Z]+)?)?"
    rf"(?:\s?(?:\+-|\+/-|±)\s?(?P<spread>{NUMBER}|nan))?(?=$|[\s|,;\])}}\"'])"
)
_SPACED = re.compile(
    rf"(?:^|[|,:→]\s?|->\s?|\s-\s)(?P<key>[A-Za-z_][\w./ -]{{0,60}}?)\s+(?P<value>{NUMBER}|{NOT_FINITE})"
    rf"(?:\s?(?:\+-|\+/-|±)\s?(?P<spread>{NUMBER}|nan))?(?=\s?(?:[|,]|$))"
)
_WORDS = re.compile(
    rf"(?:^|(?<=[\s(]))(?P<key>[A-Za-z_][\w./@-]*+) {{1,8}}(?P<value>{NUMBER}|{NOT_FINITE})(?=[\s),]|$)"
)
_WITHIN = re.compile(rf"\s{NUMBER}\s")
_EVALUATION = re.compile(r"(?i)(?<![\w/.])(?:eval(?:uation|uating)?|val(?:id(?:ation)?)?|test)(?![\w/.-])")
_DIGITS = re.compile(r"\d+")
# What an evaluation tells that tries each task several times.
_PASS = re.compile(r"(?i)pass@\d{1,3}")
# 54.6M, 3.1%; a single small letter may be a unit of time or length.
_UNITS = {"K": 1e3, "k": 1e3, "M": 1e6, "B": 1e9, "%": 0.01}
# What counts at a line's head without saying what: `[3/30]`, `#3`, `it 3:`, Keras' `3/30 [==>`.
_LEAD = re.compile(
    r"(?:^|[\s\]|-])(?:\[\s{0,6}(\d{1,9})(?:\s?/\s?\d{1,9})?\]|(?:#|(?i:it|s|u)[ =]?)\s{0,5}(\d{1,9})(?=[\s:|,]))"
    r"|^(?:\[[A-Za-z][\w.-]{0,40}\])?\s{0,6}(\d{1,9})/(?P<total>\d{1,9}) [\[━|]"
)
# `[12/100]` and `[name] 12/100 |` at the very beginning count what a program goes through.
_OF_ALL = re.compile(
    r"\s{0,8}\[\s{0,6}\d{1,9}\s?/\s?\d{1,9}\]\s|(?:\[[A-Za-z][\w.-]{0,40}\])?\s{0,8}\d{1,9}/\d{1,9} \|"
)
_STATISTICS = frozenset(("mean", "avg", "average", "max", "min", "std", "median"))
_LEAST = 2
_OPTIMISED = frozenset(("actor/pg_loss", "actor/grad_norm", "actor/lr"))
# Of a line that counts nothing: other programs than trainers tell one or two of them.
_FEWEST_KNOWN = 3
_LONGEST, _LONGEST_LEAD = 4000, 80


class Pairs:
    """The step (None: not told), the planned steps and the metrics of such lines, one after the other."""

    def __init__(self) -> None:
        self._before = 0
        self._epoch = 0.0
        self._last = 0
        # The episode of the newest row, while each row has one of its own.
        self._counted: int | None = -1
        # What the head of the newest line counted that says no word for it, while that rises.
        self._led: int | None = -1
        # What stood before the newest row's step, and this itself, with zeros for its digits.
        self._head = ""
        self.total: int | None = None

    def parse(self, text: str) -> tuple[int | None, dict[str, float]] | None:
        """What a line tells; None where it is no row of a training."""
        if len(text) > _LONGEST:
            return None
        text = bared(text)
        named = _STEP.search(text)
        epoch = _EPOCH.search(text)
        if named is None and epoch is None:
            return None
        row = _row(text)
        if named and named.group().lower().startswith("rollout") and not known_of(row) & _OPTIMISED:
            return None  # one answer of many
        if named and self._head and _EVALUATION.search(text, 0, named.start()):
            return self._evaluation(int(named.group(1)), row)
        if named and len(row) >= _LEAST and all(_PASS.fullmatch(key) for key in row):
            found = next((value for key, value in row.items() if key.lower() == "pass@1"), None)
            return None if found is None else (self._before + int(named.group(1)), {"val/pass@1": found})
        head = _DIGITS.sub("0", text[: named.end()]) if named else ""
        if not (
            self._goes_on(named, head, row) or _is_row(row, bool(epoch and text.lstrip().startswith("[")))
        ):
            return None
        if named is None:
            return self._episode(text), row
        self._head = head
        if named.group(2):
            self.total = int(named.group(2))
        return self._step(int(named.group(1)), float(epoch.group(1)) if epoch else 0.0), row

    def opened(self, text: str) -> tuple[int, int | None, dict[str, float]] | None:
        """The step, the planned steps and what there is of a row of which the next lines have to tell more."""
        named = _STEP.search(text) if len(text) <= _LONGEST else None
        row = _row(bared(text)) if named else {}
        if named is None or not known_of(row):
            return None
        return int(named.group(1)), int(named.group(2)) if named.group(2) else None, row

    def _evaluation(self, step: int, row: dict[str, float]) -> tuple[int, dict[str, float]] | None:
        """The scores of a line that tells of an evaluation between the training's rows."""
        scores = {f"eval/{key}": value for key, value in row.items() if _SCORE in verl_names(f"eval/{key}")}
        return (self._before + step, scores) if scores and not _EVALUATION.search(self._head) else None

    def _goes_on(self, named: re.Match[str] | None, head: str, row: dict[str, float]) -> bool:
        """Whether a line tells more of the step that the row before it told, in the same words."""
        if named is None or self._head != head or int(named.group(1)) != self._last:
            return False
        return bool(known_of(row))

    def uncounted(self, text: str) -> tuple[int | None, dict[str, float]] | None:
        """What a line tells that names neither steps nor epochs; None where it is no row of a training."""
        if len(text) > _LONGEST or _STEP.search(text) or _EPOCH.search(text):
            return None
        row = _row(bared(text))
        known = known_of(row)
        of_training = len(known & OF_A_TRAINING)
        is_counted = of_training and len(known) >= _LEAST and _OF_ALL.match(text) is not None
        is_led = of_training >= _LEAST and len(known) >= _FEWEST_KNOWN and _LEAD.match(text) is not None
        tells_reward = is_led or (of_training >= _LEAST and "critic/score/mean" in known)
        return (self._lead(text), row) if is_counted or tells_reward or of_training >= _FEWEST_KNOWN else None

    def _lead(self, text: str) -> int | None:
        """What the head of a line counts, as long as that rises with each row."""
        if self._led is None:
            return None
        found = _LEAD.search(text[:_LONGEST_LEAD])
        at = next((int(each) for each in found.groups() if each), -1) if found else -1
        is_part = found is not None and found.group("total") == str(at) and self._led < 0
        self._led = at if at > self._led and not is_part else None
        return self._led

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
        if found and found.group(2) and self._counted is not None:
            self.total = int(found.group(2))
        return self._counted


def _is_row(row: dict[str, float], is_epoch: bool) -> bool:
    return len(row) >= (1 if is_epoch else _LEAST) and is_of_training(row)


def stated(text: str) -> tuple[str, int, dict[str, float]] | None:
    """What a line says up to its step (zeros for its digits), the step and the metrics; None where it tells none."""
    text = bared(text) if len(text) <= _LONGEST else ""
    named = _STEP.search(text)
    if named is None or _EVALUATION.search(text, 0, named.start()):
        return None
    return _DIGITS.sub("0", text[: named.end()]), int(named.group(1)), _row(text)


def row_until(text: str) -> dict[str, float]:
    """The pairs of a text that ends with one and tells no step; nothing of any other text."""
    text = bared(text)
    matches = list(_PAIR.finditer(text))
    if not matches or matches[-1].end() < len(text) or _STEP.search(text):
        return {}
    return _row(text)


def _row(text: str) -> dict[str, float]:
    row: dict[str, float] = {}
    matches = list(_PAIR.finditer(text)) or _spaced(text)
    if len(matches) < _LEAST:
        matches = [each for each in _WORDS.finditer(text) if _is_known(each.group("key"))] or matches
    for pair in matches:
        key = key_of(pair.group("key"))
        value = number(pair.group("value"))
        if value is None or not key:
            continue
        row[key] = scaled(value, pair.groupdict().get("unit") or "")
        spread = pair.groupdict().get("spread")
        if spread and (width := number(spread)) is not None:
            row[f"{key}_std"] = width
    return row


def _spaced(text: str) -> list[re.Match[str]]:
    """Names with a blank before their value: one between two bars, or several."""
    single, words = list(_SPACED.finditer(text)), list(_WORDS.finditer(text))
    is_led = len(words) > len(single) and _LEAD.match(text) is not None
    return words if is_led or any(_WITHIN.search(each.group("key")) for each in single) else single


def _is_known(name: str) -> bool:
    return is_metric(name) or name.lower() in MAY_MEAN


def scaled(value: float, unit: str) -> float:
    """A value as its unit has it: thousands, hundredths; one that is not finite stays what it is."""
    return value if value == BEYOND else told(value * _UNITS.get(unit, 1.0))


def key_of(text: str) -> str:
    """The longest end of the words before a value that is known; else the last word."""
    words = text.strip().split(" ")
    if "/" in words[-1]:
        return words[-1]  # a whole name, whatever stands before it
    if "ema" in (word.lower() for word in words[:-1]):
        return "_".join(words)  # of many steps, and not of this one
    for begin in range(len(words)):
        name = " ".join(words[begin:])
        if is_metric(name):
            return name
        if is_metric(name.replace(" ", "_")):
            return name.replace(" ", "_")
    # `off_policy mean 7.1`: of what the mean is, the word before it says.
    return "/".join(words[-2:]) if words[-1].lower() in _STATISTICS else words[-1]
