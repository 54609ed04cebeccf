"""Cells of tables as people and notebooks write them: bold, with dashes, thousands, percentages, a word behind."""

from __future__ import annotations

import re

from liverl.log.formats.values import NUMBER, number, told
from liverl.log.names import is_metric, told_names
from liverl.log.tongues import in_english
from liverl.log.words import is_right

_THOUSANDS = r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"
_VALUE = re.compile(rf"[~≈]?\s?({_THOUSANDS}|{NUMBER})\s?([%kKMBT]?)(?=$|[\s(±])")
# So many of so many, in a column that says of how many: `zero_std/8`, `7/8`.
_SHARE = re.compile(r"(\d{1,6})\s?/\s?(\d{1,6})")
_OF_ALL = re.compile(r"(?<=[A-Za-z])\s?/\s?[1-9]\d{0,5}$")
# As a diary says it: from one value to another in many steps, a word before, another behind: `降到0.4-0.5`, `up to 15`.
_SPOKEN = re.compile(
    rf"(?:[^\d]{{0,12}}(?:[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]|\b(?:to|at|around|about|near|below|above|>|<)))?"
    rf"\s?[~≈><]?\s?(?P<low>{NUMBER})(?:\s?[-–—~～至]\s?(?P<high>{NUMBER}))?\s?(?P<unit>[%kK]?)"
    r"\s?(?:[(（][^()（）]{1,24}[)）]|[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af][^\d|]{0,12})?"
)
_STEP = re.compile(
    r"(?:step|iter(?:ation)?|episode)?\s?#?(?:(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.0+)?|(\d{1,4}\.\d{1,3})(?=[km]))([km]?)"
    r"(?:\s?(?:/|of)\s?[\d,]+)?(?=$|\s?\()",
    re.IGNORECASE,
)
# Of a row that sums up many steps the last one: what was told is what the run had come to. An open end has no number,
# and is behind the row before.
_STEPS = re.compile(
    r"(?:steps?\s)?(\d{1,3}(?:,\d{3})+|\d{1,12})(k?)"
    r"(?:\s?[-–—~]\s?(?:(\d{1,3}(?:,\d{3})+|\d{1,12})(k?)|[^\W\d]+)|\+)$",
    re.IGNORECASE,
)
_UNITS = {"%": 0.01, "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9, "T": 1e12}
_NOTHING = frozenset(("", "no log", "n/a", "na", "none", "null", "-", "--", "–", "—", "?", "…", "..."))
_UNIT = re.compile(
    r"\s*[(\[](?:mean|avg|train|tokens?|toks?|s|secs?|seconds|nats|%|pre-?clip|before clip(?:ping)?|raw|unclipped"
    r"|l2(?: norm)?|#|count|avg\.|average|tok(?:en)?s?/s(?:ec)?(?:/gpu)?|s(?:ec)?/(?:step|it)|per token|nats/token|0-1"
    r")[)\]]"
    r"|\s*[↑↓%]\s*$|\s*±\s*(?:std|sd|se|sem|stderr)$",
    re.I,
)
# What somebody says of a column beside its name, and leaves it the same metric.
_ASIDE = re.compile(
    r"\s*[(（](?i:acc(?:uracy)?|k[123]|policy|rollouts?|batch|overall|all|per step|of group)[)）]$"
)
# ... in more words; but what makes another metric of it.
_BRACKETS = re.compile(r"\s*[(（\[][^()（）\[\]]{1,40}[)）\]]")
_OF_SPREAD = re.compile(
    r"(?i)[(（\[][^()（）\[\]]*\b(?:max|min|std|var|sd|p\d\d|median|total|val|eval|test)\b"
)
_SUMMED = re.compile(r"(?i)[(（\[][^()（）\[\]]*\b(?:sum|summed)\b")
_PERCENT = re.compile(r"^(?:pct|percent(?:age)?|%)(?: of|_of)?[ _]|[ _](?:pct|percent)$", re.I)
_STEP_NAMES = frozenset((
    "step", "steps", "global step", "train step", "training step", "trainer step", "optimizer step", "rollout step",
    "grpo step", "rl step", "iteration", "iter", "update", "episode", "step range", "steps range", "step window",
    "steps window", "step interval", "rollout", "it", "ckpt", "checkpoint", "batch", "phase", "upd", "upds", "updates",
    "区间", "阶段", "구간", "区間", "窗口",
))  # fmt: skip
# `step 段`, `step 区间`: the steps from one to another.
_SEGMENT = re.compile(r"\s*(?:段|区间|范围|구간|区間)$")
# The row of the model that the training began with.
_BEFORE = frozenset(("base", "init", "initial", "start", "sft"))
# The last row of a table whose others are numbered: `ep1-end`, `final`.
_END = re.compile(r"(?:^|[\s_(-])(?:end|final|last)\)?$", re.IGNORECASE)
# How the steps are counted: `step (cum)`.
_COUNTED = re.compile(r" \((?:cum(?:ulative)?|global|total|overall|train(?:ing)?|optim\w*)\)$")
# `trainer/global_step`.
_OF_PROGRAM = re.compile(r"^(?:train|trainer|training|rollout|global|progress)/")
# From what to what a value went while a row's steps were made.
_WAY = re.compile(r"\s?(?:→|->|⟶)\s?")
# One column, or cell, of several parts: `heldout d4 / d6 / d8`.
_PARTS = re.compile(r"\s+/\s+")
# What is no part of a score, but told beside it.
_OTHER_PART = re.compile(
    r"(?i)(?:avg[. ]|mean )?(?:tok(?:en)?s?|len(?:gth)?|time|turns?|steps?|cost|kl|s(?:ec)?)\b"
)
_LONGEST = 80
# verl's scores of a validation name their data as those are called.
WHOLE = ("val-core/", "val-aux/")


def value_of(cell: str) -> float | None:
    """The number that a cell tells, a percentage as a share; None where it tells none."""
    text = _bare(cell)
    if text.lower() in _NOTHING or "→" in text or "->" in text:
        return None
    if found := _VALUE.match(text):
        value = float(found.group(1).replace(",", ""))
        return told(value * _UNITS.get(found.group(2), 1))
    value_or_none = number(text)
    return _spoken(text) if value_or_none is None else value_or_none


def _spoken(text: str) -> float | None:
    """The value that a cell tells in words, of a range its middle; None where it tells none."""
    if len(text) > _LONGEST or (found := _SPOKEN.fullmatch(text)) is None:
        return None
    low, high = float(found.group("low")), found.group("high")
    if high is not None and not low < float(high):
        return None
    value = low if high is None else (low + float(high)) / 2
    return told(value * _UNITS.get(found.group("unit"), 1))


def is_of_all(header: str) -> bool:
    """Whether a column says of how many its cells count."""
    return _OF_ALL.search(_bare(header)) is not None


def counted_name(header: str) -> str:
    """The name of what such a column counts."""
    return _OF_ALL.sub("", _bare(header))


def share_of(cell: str) -> float | None:
    """The share that a cell of such a column tells; of one that tells no count its value."""
    found = _SHARE.fullmatch(_bare(cell))
    if found is None:
        return value_of(cell)
    part, whole = int(found.group(1)), int(found.group(2))
    return part / whole if part <= whole > 0 else None


def has_parts(header: str) -> bool:
    """Whether a column has several numbers of one metric in each of its cells."""
    _, *others = _PARTS.split(_bare(header))
    return bool(others) and not any(_OTHER_PART.match(each) for each in others)


def has_asides(header: str) -> bool:
    """Whether behind the metric of a column another one is told in each of its cells: `acc / tokens`."""
    return _PARTS.search(_bare(header)) is not None and not has_parts(header)


def first_name(header: str) -> str:
    """The name of the first metric of a column that tells others behind it."""
    return _PARTS.split(_bare(header))[0]


def first_of(cell: str) -> float | None:
    """The first number of a cell that has several."""
    return value_of(_PARTS.split(_bare(cell))[0])


def mean_of(cell: str) -> float | None:
    """The mean of the numbers of a cell that has several; None where one of them is none."""
    parts = [value_of(each) for each in _PARTS.split(_bare(cell))]
    told = [each for each in parts if each is not None]
    return sum(told) / len(told) if len(told) == len(parts) else None


def last_of(cell: str) -> str:
    """What a cell had come to, where it tells the way (`0.3 → -0.1`); else the cell itself."""
    return _WAY.split(cell)[-1] if _WAY.search(cell) else cell


def is_steps(cell: str) -> bool:
    """Whether a cell tells the steps from one to another."""
    return _STEPS.match(_bare(cell)) is not None and _STEP.match(_bare(cell)) is None


def is_nothing(cell: str) -> bool:
    """Whether a cell says that nothing was measured."""
    return _bare(cell).lower() in _NOTHING


def step_of(cell: str) -> int | None:
    """The step that a cell tells; None where it tells none."""
    text = " ".join(_bare(cell).split())
    if text.lower() in _BEFORE:
        return 0
    if found := _STEP.match(text):
        return _count(found.group(1) or found.group(2), found.group(3))
    if found := _STEPS.match(text):
        if found.group(3):
            return _count(found.group(3), found.group(4))
        return _count(found.group(1), found.group(2)) + 1
    return None


def is_end(cell: str) -> bool:
    """Whether a cell stands where a step does and says that it was the last one."""
    return _END.search(_bare(cell)) is not None


def key_of(cell: str) -> str:
    """The name of a column, by which a metric is known where it is one."""
    text = " ".join(_bare(cell).split())
    if text.startswith(WHOLE):
        return text
    name = re.sub(r"\s*/\s*", "/", text)[:_LONGEST]
    # `heldout d4 / d6 / d8`: several of one metric.
    of_all = _PARTS.split(text)[0].rpartition(" ")[0] if " / " in text else name
    for each in (name, _UNIT.sub("", name), _PERCENT.sub("", name), _ASIDE.sub("", name), of_all):
        for form in (each, each.replace(" ", "_").replace("-", "_")):
            if is_metric(form):
                return form
    if not _OF_SPREAD.search(name) and (short := _BRACKETS.sub("", name).strip()) and short != name:
        summed = "(sum)" if _SUMMED.search(in_english(name)) else ""
        for form in (short + summed, short, short.replace(" ", "_")):
            if is_metric(form):
                return form
        if told_names(short):
            return short
    return alone if is_right(alone := _UNIT.sub("", name)) else name


def scale_of(cell: str) -> float:
    """What the values of a column are multiplied by: those of `clipped %` are percentages without the sign."""
    name = _bare(cell)
    return 0.01 if name.endswith(("%", "(%)", "[%]")) or _PERCENT.search(name) else 1.0


def is_step_name(cell: str) -> bool:
    """Whether a column counts the steps."""
    name = _bare(cell).lower().replace("_", " ").replace("-", " ").removesuffix("[#]").strip("# .:")
    name = _OF_PROGRAM.sub("", _COUNTED.sub("", name))
    return any(in_english(each) in _STEP_NAMES for each in (name, _SEGMENT.sub("", name)))


def _count(digits: str, unit: str) -> int:
    return round(float(digits.replace(",", "")) * _UNITS.get(unit, 1))


def _bare(cell: str) -> str:
    text = cell.replace("**", "") if "**" in cell else cell
    text = text.strip().strip("*`~").strip()
    return text.replace("\\_", "_").replace("−", "-") if "\\" in text or "−" in text else text
