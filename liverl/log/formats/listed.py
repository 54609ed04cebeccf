"""Metrics written down as lists of values: `rewards = [0.1, 0.2]`, `entropy: 0.4 -> 0.3 -> 0.1`."""

from __future__ import annotations

import re

from liverl.log.formats.rows import Rows
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.formats.values import NUMBER, number
from liverl.log.names import Names, is_metric

# What somebody writes down; in a log such a list tells of the samples of one batch.
MOST_BYTES = 4 << 20
_KEY = r"(?P<key>[A-Za-z_][\w./@-]*(?: [A-Za-z_][\w./@-]*){0,3})"
_KEY_BEFORE = re.compile(_KEY + r"[\"'`*]{0,3}\s?$")
_KEY_CHARS = 80
_VALUE = rf"(?:{NUMBER}|nan|-?inf|NaN|None|null)"
_LIST = re.compile(
    rf"[:=]\s{{0,4}}(?:[\w.]{{1,20}}\()?\[\s*(?P<values>{_VALUE}(?:\s*,\s*{_VALUE})+)\s*,?\s*\]"
)
_WAY = re.compile(
    rf"^[\s>*•|-]{{0,8}}{_KEY}[`*]{{0,2}}\s?[:=]?\s{{0,8}}(?P<values>{_VALUE}(?:\s?(?:->|→|⟶|=>)\s?{_VALUE})+)",
    re.MULTILINE,
)
# A whole line of values behind a name, between commas or blanks.
_BARE = re.compile(
    rf"^[\s>*•|-]{{0,8}}{_KEY}[`*]{{0,2}}\s?[:=]\s{{0,8}}(?P<values>{_VALUE}(?:(?:, ?| ){_VALUE}){{5,}})\s*$",
    re.MULTILINE,
)
_PART = re.compile(r"\s*(?:,|->|→|⟶|=>)\s*|\s+")
_STEPS = frozenset(
    ("step", "steps", "global_step", "global_steps", "iteration", "iterations", "iters", "x", "updates")
)
_AROUND = (
    re.compile(r"_(?:history|hist|list|values|vals|curve|log|series|trace|per_step|by_step|over_time)$"),
    re.compile(r"^(?:all|step|log|per_step|train|training|history)_"),
)
_MANY = (("ies", "y"), ("sses", "ss"), ("s", ""))
_FEWEST, _FEWEST_ALONE = 4, 8
_SHARE = 0.5
_OF_NUMBERS = b"0123456789.,-+e \r\n\t[]>"


def listed_rows(content: bytes) -> Rows:
    """The rows of such lists, one after the other or as a list of steps has them; none of any other text."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES or not any(
        each in content for each in (b"[", b"->", "→".encode(), b"=>", b":", b"=")
    ):
        return rows
    if len(content.translate(None, _OF_NUMBERS)) > _SHARE * len(content):
        return rows  # a look that costs nothing
    text = content.decode("utf-8", "replace")
    lists: dict[str, list[float | None]] = {}
    told = 0
    for form in (_LIST, _WAY, _BARE):
        for found in form.finditer(text):
            key = _key(found, text)
            name = _name(key)
            if name in lists:
                return rows  # told again and again: a batch's samples
            if name:
                lists[name] = [number(each) for each in _PART.split(found.group("values"))]
                told += found.end() - found.start() + len(key) * (form is _LIST)
    if told >= _SHARE * len(text.strip()):
        _add(lists, rows)
    return rows


def _key(found: re.Match[str], text: str) -> str:
    """What a list is called; nothing where it has no name."""
    if found.re is not _LIST:
        return found.group("key")
    before = _KEY_BEFORE.search(text, max(0, found.start() - _KEY_CHARS), found.start())
    return before.group("key") if before else ""


def _add(lists: dict[str, list[float | None]], rows: Rows) -> None:
    steps = next((lists[name] for name in lists if name in _STEPS), None)
    count = len(steps) if steps else max((len(each) for each in lists.values()), default=0)
    lists = {name: each for name, each in lists.items() if len(each) == count and name not in _STEPS}
    if count < _FEWEST or not _are_metrics(lists, steps is not None):
        return
    for at in range(count):
        step = at + 1 if steps is None else steps[at]
        if step is None or step != int(step):
            return
        rows.add({name: value for name, each in lists.items() if (value := each[at]) is not None}, int(step))


def _are_metrics(lists: dict[str, list[float | None]], has_steps: bool) -> bool:
    """Whether lists are those of a training: the rewards of a batch's samples are a list too."""
    known = known_of(lists) - {"actor/lr"}
    if not known:
        return False
    if has_steps or (known & OF_A_TRAINING and len(known) > 1):
        return True
    alone = next(each for name, each in lists.items() if known_of((name,)) & known)
    return len(alone) >= _FEWEST_ALONE and any(value not in (0, 1, -1, None) for value in alone)


def _name(key: str) -> str:
    """A metric's name: `rewards_history` is of `reward`, `grad_norms` of `grad_norm`."""
    name = key.strip().replace(" ", "_")
    if is_metric(name) or name.lower() in _STEPS:
        return name if is_metric(name) else name.lower()
    for around in (None, *_AROUND):
        short = around.sub("", name) if around else name
        for many, one in (("", ""), *_MANY):
            form = short.removesuffix(many) + one
            if short.endswith(many) and is_metric(form):
                return form
    return (
        _name(_AROUND[0].sub("", _AROUND[1].sub("", name))) if any(a.search(name) for a in _AROUND) else name
    )
