"""Metrics in sentences and bullets of a short text: `kl exploded to 1951 by step 80`, `grad_norm and kl are nan`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from liverl.log.formats.rows import Rows
from liverl.log.formats.sidecolumn import table_row
from liverl.log.formats.sideways import ends_of
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.formats.values import NUMBER, number
from liverl.log.names import Names, is_metric
from liverl.log.printed import without_dicts

# What somebody pastes into a thread; a page of a manual tells of many runs.
MOST_BYTES, _MOST_LINES, _LONGEST = 6144, 48, 1200
_MOST_ROWS = 12
# A line that ends so far on the right, within a sentence, goes on in the next one.
_BROKEN = 50
_MARKS = str.maketrans("", "", "*`\"'“”")
_VALUE = rf"(?:(?>{NUMBER})|(?i:[-+]?(?:nan|inf(?:inity)?)|zero)\b)"
_NAME = r"(?a:[A-Za-z][\w./@-]*+)"
_HAN = "\u4e00-\u9fff"
# What stands between a metric and its value: a sign, or a few words that say what it did.
_VERB = (
    r"(?:is|was|are|were|has|have|been|became|becomes?|becoming|turn(?:s|ed)|goes|went|go|suddenly|changed?|both|now|already"
    r"|exactly|only|about|around|roughly|of|at|to|up|down|explod(?:es|ed)|jump(?:s|ed)|collaps(?:es|ed)|reach(?:es|ed)"
    r"|climb(?:s|ed)|dropp?(?:s|ed)|fell|falls|rose|rises|grew|grows|spik(?:es|ed)|blew|hits?|stuck|stays?|decreased|dropped"
    r"|increased|decreases|increases|sharply|print(?:s|ed)|value|all|still|always|equals?|constantly|the|mean"
    r"|between)"
)
# The same in Chinese: the last of the words says that a value follows.
_HAN_VERB = rf"[{_HAN}，]{{0,16}}[为是在到成约恒达]"
_MENTION = re.compile(
    rf"(?a:(?<![\w./@-]))(?P<key>{_NAME}(?: {_NAME}){{0,2}}?)"
    rf"(?:(?:,? (?:and|&) |, |/){_NAME}(?: {_NAME})?)?"
    rf"(?:\s?[:=≈~]\s?[~≈]?|\s(?:{_VERB}\s){{1,5}}[~≈]?|\s?{_HAN_VERB}\s?|\s[~≈]?)"
    # Of a range the lower end.
    rf"(?P<value>{_VALUE})(?P<unit>%|[KMB]\b)?(?=$|[\s,;|)\]:(…、，；。±{_HAN}]|[~–-]\d[\d.]*+(?![-:\dA-Za-z])|\.(?!\d))"
)
_BESIDE = re.compile(rf"(?:,? (?:and|&) |, |/)(?P<key>{_NAME}(?: {_NAME})?)(?=[:= ])")
_NOT_FINITE_FIRST = re.compile(rf"(?i:\b(?P<value>nan|inf)\s)(?P<key>{_NAME}(?: {_NAME})?)")
_STEP = re.compile(r"(?ia)\b(?:steps?|iter(?:ation)?|update)[ _#=:]{0,2}(\d{1,9})\b(?!\.\d)")
# A sentence that says what should be, what others have, or what would be if.
_NOT_TOLD = re.compile(
    r"(?i)[<>≤≥]|\b(?:should|threshold|expect\w*|healthy|ideal\w*|normal\w*|if|unless|would|could|limit|range|until"
    r"|baseline|target|recommend\w*|defaults? (?:is|to|of|value)|warn(?:s|ing)? (?:at|above|when)|alarm"
    r"|at least|at most|above|below|stable|fix(?:es|ed)?|after the fix|truncated to"
    r"|for (?:an? |each |every )?(?:(?:in)?correct|wrong|right|failed))\b"
    r"|应该|应为|阈值|正常(?:值|范围|情况|应)|如果|低于|高于|超过|小于|大于|建议|默认"
)
# What is compared with is another run.
_COMPARED = re.compile(r"(?i)\b(?:versus|vs\.?|compared (?:to|with)|in contrast|whereas)\s")
_ENDS = re.compile(r"(?<=[.;!?])\s|(?<=[。；！？])\s*|(?<=[a-z\d])\. (?=[A-Z])")
_KEPT = OF_A_TRAINING | {
    "critic/score/mean", "response_length/mean", "actor/ppo_ratio_mean", "training/rollout_probs_diff_max", "val/score",
}  # fmt: skip
_TELLING = OF_A_TRAINING - {"actor/lr", "perf/throughput", "critic/score/std"}
_CALLED = {"gradient": "grad_norm", "gradients": "grad_norm"}
_UNITS = {"%": 0.01, "K": 1e3, "M": 1e6, "B": 1e9}


class _Said(NamedTuple):
    """A metric's value, and the step at which it was."""

    name: str
    value: float
    step: int | None


def excerpt_rows(content: bytes) -> Rows:
    """What a text of a few lines says of metrics, a row for each step that it names; none of a longer text."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES:
        return rows
    text = without_dicts(content).decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > _MOST_LINES:
        return rows
    told: list[dict[str, float]] = []
    steps: list[int | None] = []
    if ends := ends_of(lines):
        told, steps = ends, [1, 2]
    elif row := table_row(lines):
        told, steps = [row], [None]
    for line in _paragraphs(lines) if not told else ():
        for said in _said(line) if len(line) <= _LONGEST else ():
            _keep(said, told, steps)
    known = known_of({name for row in told for name in row})
    if not told or len(told) > _MOST_ROWS or not known & _TELLING:
        return rows
    for at, row in sorted(enumerate(told), key=lambda each: (steps[each[0]] is None, steps[each[0]] or 0)):
        rows.add(row, steps[at])
    return rows


def _paragraphs(lines: list[str]) -> list[str]:
    """The lines of a text, with those made one that an editor has broken within a sentence."""
    found: list[str] = []
    for line in lines:
        if found and line[:1].islower() and len(found[-1]) >= _BROKEN and found[-1][-1:] not in ".:;!?|}":
            found[-1] += f" {line}"
        else:
            found.append(line)
    return found


def _keep(said: _Said, told: list[dict[str, float]], steps: list[int | None]) -> None:
    """Put a value into the row of its step, or into the newest that does not tell the metric yet."""
    at = next(
        (i for i in range(len(told)) if steps[i] == said.step and said.name not in told[i]),
        None,
    )
    if at is None:
        if said.step is not None and said.step in steps:
            return  # told twice of one step: of two runs, or of two things
        told.append({})
        steps.append(said.step)
        at = len(told) - 1
    told[at][said.name] = said.value


def _said(line: str) -> Iterator[_Said]:
    for whole in _ENDS.split(line.translate(_MARKS)):
        sentence = _COMPARED.split(whole, maxsplit=1)[0]
        if _NOT_TOLD.search(sentence):
            continue
        named = _STEP.search(sentence)
        step = int(named.group(1)) if named else None
        for found in _MENTION.finditer(sentence):
            value = 0.0 if found.group("value").lower() == "zero" else number(found.group("value"))
            names = [_metric(found.group("key"), is_before=True)]
            if beside := _BESIDE.match(sentence, found.end("key")):
                names.append(_metric(beside.group("key")))
            for name in names if value is not None else ():
                if name and value is not None:
                    yield _Said(name, value * _UNITS.get(found.group("unit") or "", 1.0), step)
        for found in _NOT_FINITE_FIRST.finditer(sentence):
            value = number(found.group("value"))
            if value is not None and (name := _metric(found.group("key"))):
                yield _Said(name, value, step)


def _metric(key: str, is_before: bool = False) -> str:
    """What is a metric worth reading in a sentence, at the end of the words before a value or at the beginning of
    those behind it; nothing where there is none."""
    words = key.split(" ")
    count = len(words)
    for length in range(count, 0, -1):
        part = words[count - length :] if is_before else words[:length]
        for joined in (" ".join(part), "_".join(part)):
            if is_metric(joined) and known_of((joined,)) & _KEPT:
                return joined
    return _CALLED.get(words[-1 if is_before else 0].lower(), "")
