"""Notes of a run as people and small scripts write them: `step 10: reward 0.31, kl 0.002`, a table of two columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from liverl.log.formats import grids, pairs
from liverl.log.formats.rows import Rows
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.formats.values import NUMBER, number
from liverl.log.names import Names, is_metric

# What somebody keeps by hand; in a log such lines are found one by one.
MOST_BYTES = 256 << 10
_STEP = re.compile(
    r"""^[\s>*•#-]{0,8}(?:\[[^\]\n]{1,40}\]\s*|\d{4}-\d\d-\d\d[T ][\d:.,]{5,15}\s*(?:[-|]\s*)?(?:INFO)?\s*[:|-]?\s*)?\**
    (?:epoch\s?\d{1,6}(?:/\d{1,6})?[\s,|:;-]{1,3}|[\w.-]{1,30}\s?[|:]\s+)?
    (?P<word>(?:(?:global|train(?:ing)?|grpo|ppo|rl|optimi[sz]er)[ _-]?)?(?:step|iter(?:ation)?|update)s?|@
    |第|步[骤数]?)
    \**\s{0,3}[:=#\[@]?\s{0,3}(?:\d{1,12}\s?[-–~]\s?)?
    (?P<step>\d{1,3}(?:,\d{3})+|\d{1,12})(?P<thousand>k)?(?:\s?(?:/|of)\s?\d{1,12}k?)?(?![\d%]|\.\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_STEP_LAST = re.compile(
    r"[\s(,;|@]{1,3}(?:at |@ ?)?(?P<word>(?:global |train )?(?:step|iter(?:ation)?|update))[ =:#]{1,2}"
    r"(?P<step>\d{1,12})(?P<thousand>k)?(?:/\d{1,12})?[\s).,|]{0,3}$",
    re.IGNORECASE,
)
# `[12/100]`: of what, nobody says.
_OF_ALL = re.compile(r"\s{0,8}\[\s{0,6}(?P<step>\d{1,9})\s?/\s?\d{1,9}\]\s(?P<word>)(?P<thousand>)")
_PAIR = re.compile(
    rf"(?P<key>[A-Za-z_][\w./@-]*(?: [A-Za-z_][\w./@-]*){{0,4}})\s*(?:\([a-z%]{{1,8}}\)\s*)?(?:[:=]|->|→)?\s*[~≈]?"
    rf"(?P<value>{NUMBER}|-?nan|-?inf|NaN)(?P<unit>%|k|s|ms|tok(?:en)?s?)?(?=$|[\s,;|)\]±(]|\.(?:\s|$)|→|->)"
)
_KEY = re.compile(
    r"^[\s>*•|-]{0,8}(?P<key>[A-Za-z_][\w./@-]*(?: [A-Za-z_][\w./@-]*){0,3}?)[*`]{0,3}\s?(?:[:=|-]|(?=\d|@|at ))\s?"
)
_NAMED = r"(?:step|iter(?:ation)?|update)s?[ #=]?\s?"
_AT = r"(?P<step>\d{1,12})(?P<thousand>k)?"
_IS = rf"(?P<value>{NUMBER}|-?nan)(?P<unit>%)?"
_STEP_AND_VALUE = re.compile(
    rf"{_NAMED}{_AT}(?:\s?(?:[:=→]|->)\s?|\s(?:was |is )?){_IS}(?=$|[\s,;|)→])", re.IGNORECASE
)
_VALUE_AND_STEP = re.compile(rf"{_IS}\s?(?:\(?(?:at |by )?{_NAMED}|@ ?(?:{_NAMED})?){_AT}", re.IGNORECASE)
_COURSES = (_VALUE_AND_STEP, _STEP_AND_VALUE)
# What people say between a metric and its value.
_SAID = frozenset((
    "is", "at", "of", "was", "to", "now", "about", "around", "by", "up", "down", "only", "just", "still", "stays",
    "stuck", "dropped", "drops", "fell", "falls", "rose", "rises", "climbed", "climbs", "reached", "hits", "jumps",
    "jumped", "flat", "near", "roughly", "approx", "back",
))  # fmt: skip
_UNITS = {"%": 0.01, "k": 1e3, "ms": 1e-3}
_COUNTS = re.compile(r"step|iter|update|步", re.IGNORECASE)
_LONGEST = 400
_FEWEST = 3
# A table of an agent's steps has rewards too: few steps, one after the other, whose rewards are whole numbers.
# No agent leaves out ten steps.
_FEWEST_OF_A_COURSE, _MANY, _FRACTIONS, _SHARE, _WIDE = 5, 20, 0.6, 0.5, 10
_OF_A_TRAINER = re.compile(r"iter|update|train|global|grpo|ppo|rl", re.IGNORECASE)
_SCORE = "critic/score/mean"
_OF_MANY = re.compile(r"(?i)(?:mean|avg|average)[ _/]rewards?|rewards?[ _/](?:mean|avg|average)")


class _Noted(NamedTuple):
    """A row: its line, what counts the steps, the step and the metrics."""

    number: int
    word: str
    step: int
    row: dict[str, float]


def noted_rows(content: bytes) -> Rows:
    """The rows of such notes; none of any other text."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES:
        return rows
    lines = content.decode("utf-8", "replace").splitlines()
    filled = sum(1 for line in lines if line.strip())
    for form in (_lines, _tables, _courses):
        told = list(form(lines))
        if _are_rows(told, filled):
            for each in told:
                rows.add(each.row, each.step, each.number)
            break
    return rows


def _lines(lines: list[str]) -> Iterator[_Noted]:
    for number_of, line in enumerate(lines, 1):
        if len(line) > _LONGEST:
            continue
        found = _STEP.match(line) or _STEP_LAST.search(line) or _OF_ALL.match(line)
        if found is not None and (
            row := _row(line[: found.start()] if found.re is _STEP_LAST else line[found.end() :])
        ):
            step = int(found.group("step").replace(",", "")) * (1000 if found.group("thousand") else 1)
            yield _Noted(number_of, found.group("word"), step, row)


def _row(text: str) -> dict[str, float]:
    row: dict[str, float] = {}
    for pair in _PAIR.finditer(text):
        words = pair.group("key").split(" ")
        while words and words[-1].lower() in _SAID:
            words.pop()
        while len(words) > 1 and words[-2].lower() in _SAID:
            del words[:-1]
        key = pairs.key_of(" ".join(words)) if words else ""
        value = number(pair.group("value"))
        if value is not None and is_metric(key):
            row.setdefault(key, value * _UNITS.get(pair.group("unit") or "", 1.0))
    return row


def _tables(lines: list[str]) -> Iterator[_Noted]:
    """The rows of a table that tells but the rewards."""
    table: grids.Grid | None = None
    for number_of, line in enumerate(lines, 1):
        row = table.row(line) if table is not None and table.follow > 0 else None
        if row is not None:
            yield _Noted(number_of, "table", *row)
        elif (
            len(line) <= _LONGEST and _COUNTS.search(line) and (begun := grids.begun_by(line, fewest_known=1))
        ):
            table = begun


def _courses(lines: list[str]) -> list[_Noted]:
    """The rows of lines that tell one metric at several steps each."""
    rows: dict[int, _Noted] = {}
    for number_of, line in enumerate(lines, 1):
        found = _KEY.match(line) if len(line) <= _LONGEST else None
        key = pairs.key_of(found.group("key")) if found is not None else ""
        if found is None or not is_metric(key):
            continue
        told = max((list(form.finditer(line, found.end())) for form in _COURSES), key=len)
        for each in told if len(told) >= _FEWEST else ():
            step = int(each.group("step")) * (1000 if each.group("thousand") else 1)
            row = rows.setdefault(step, _Noted(number_of, "course", step, {})).row
            value = number(each.group("value"))
            if value is not None:
                row.setdefault(key, value * _UNITS.get(each.group("unit") or "", 1.0))
    return [rows[step] for step in sorted(rows)]


def _are_rows(told: list[_Noted], lines: int) -> bool:
    """Whether rows are those of a training, and no agent's steps, no schedule."""
    steps = [each.step for each in told]
    if len(told) < _FEWEST or any(after < before for before, after in pairwise(steps)):
        return False
    known = known_of({name for each in told for name in each.row}) - {"actor/lr"}
    if known & OF_A_TRAINING:
        return True
    rewards = [each.row[name] for each in told for name in each.row if _SCORE in known_of((name,))]
    is_wide = all(after - before >= _WIDE for before, after in pairwise(steps))
    if len(set(steps)) < (_FEWEST if is_wide else _FEWEST_OF_A_COURSE) or len(rewards) < len(told):
        return False
    if all(any(_OF_MANY.fullmatch(name) for name in each.row) for each in told):
        return True  # of many answers: an agent's own step has no mean
    if len(told) < _SHARE * lines or not told[0].word:
        return False
    is_every = steps == list(range(steps[0], steps[0] + len(steps)))
    is_told = len(steps) >= _MANY or not is_every or _OF_A_TRAINER.search(told[0].word) is not None
    return is_told and sum(value != int(value) for value in rewards) >= _FRACTIONS * len(rewards)
