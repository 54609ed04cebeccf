"""Tables that lie on their side: a row a metric, a column a step (`| Metric | Step 0 | Step 100 |`) or an end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from liverl.log.formats.cells import is_step_name, key_of, scale_of, step_of, value_of
from liverl.log.formats.training import OF_A_TRAINING, known_of

_BARS = re.compile("[│┃║|]")
_STEP = re.compile(r"[*`\s]*(?:step|iter(?:ation)?|update)[ _#]{0,8}\d", re.IGNORECASE)
# `| (%) | init | 400 | 500 |`
_NO_NAME = re.compile(
    r"(?i)[*`\s]*(?:|\(?%\)?|metrics?|stats?|keys?|name|eval(?:uation)?|benchmarks?|指标|指標|지표|항목|項目)[*`\s]*"
)
# `metric \\ step`: the corner of a table names both its rows and its columns.
_CORNER = re.compile(r"\s*(?:\\|(?<=\s)/(?=\s)|^$)\s*")
_BEFORE = re.compile(r"(?i)[*`\s]*(?:base(?: model)?|init(?:ial)?|start|sft|[01])[*`\s]*")
_STEPS_ALONE = re.compile(r"[*`\s]*[1-9]\d{1,6}[*`\s]*")
_MANY_STEPS = 4
# The two ends of a run, without their steps.
_BEGIN = re.compile(
    r"(?i)[*`\s]*(?:start|begin(?:ning)?|initial(?:ly)?|first|early|初期|初始|开始|起始|초반|초기|시작)"
    r"(?: (?:value|step|值))?[*`\s]*(?:[(（].{1,40}[)）])?[*`\s]*"
)
_END = re.compile(
    r"(?i)[*`\s]*(?:end|final(?:ly)?|last|latest?|recent|current|now|末期|最终|最后|结束|目前|현재|최근|최종|마지막)"
    r"(?: (?:value|step|值))?[*`\s]*(?:[(（].{1,40}[)）])?[*`\s]*"
)
# A schedule has a beginning and an end too.
_SETTING = re.compile(
    r"(?i)^[\s|*`]*[^|\n]{0,40}(?:schedule|setting|config|hyper|coef|weight|warm-?up|temperature)"
)
_LONGEST, _LONGEST_NAME = 2000, 60
_FEWEST_STEPS, _FEWEST_KNOWN = 2, 2
_LENGTH = frozenset(("response_length/mean",))
# The line below a header, and what a person puts between the metrics.
_MOST_MISSED, _MOST_LINES = 3, 64


class Sideways:
    """A table from its header on; `follow` is how many lines more it wants to see."""

    def __init__(self, count: int, steps: dict[int, int]) -> None:
        self._count, self._steps = count, steps
        self._rows: dict[int, dict[str, float]] = {}
        self._left = _MOST_LINES
        self.follow = _MOST_MISSED

    def join(self, text: str) -> bool:
        """Whether a line tells one more metric."""
        self._left -= 1
        told = self._metric(text)
        self.follow = min(_MOST_MISSED if told else self.follow - 1, self._left)
        return told

    @property
    def rows(self) -> list[tuple[int, dict[str, float]]]:
        """The metrics by step; none where they are not of a training."""
        known = known_of({name for row in self._rows.values() for name in row})
        if not (known & (OF_A_TRAINING | _LENGTH) or len(known) >= _FEWEST_KNOWN):
            return []
        return sorted(self._rows.items())

    def _metric(self, text: str) -> bool:
        cells = _cells(text)
        if len(text) > _LONGEST or len(cells) != self._count or not cells[0]:
            return False
        name, scale, is_told = key_of(cells[0]), scale_of(cells[0]), False
        for at, step in self._steps.items():
            if (value := value_of(cells[at])) is not None:
                row = self._rows.setdefault(step, {})
                row.setdefault(name, value * (1 if "%" in cells[at] else scale))
                is_told = True
        return is_told


def begun_by(text: str) -> Sideways | None:
    """The table whose header a line is; None where it is none, or has not two steps in their order."""
    if len(text) > _LONGEST or len(_BARS.findall(text)) < _FEWEST_STEPS:
        return None
    cells = _cells(text.rstrip("\r\n"))
    if any(len(cell) > _LONGEST_NAME for cell in cells):
        return None
    is_all = bool(cells) and (any(map(is_step_name, _CORNER.split(cells[0]))) or _counts(cells))
    steps: dict[int, int] = {}
    for at, cell in enumerate(cells[1:], 1):
        if (is_all or _STEP.match(cell)) and (step := step_of(cell)) is not None:
            steps[at] = step
    in_order = list(steps.values()) == sorted(set(steps.values()))
    return Sideways(len(cells), steps) if len(steps) >= _FEWEST_STEPS and in_order else None


def _counts(cells: Sequence[str]) -> bool:
    """Whether the columns are the model that a training began with and numbers that can be nothing but its steps."""
    if len(cells) <= _MANY_STEPS or not _NO_NAME.fullmatch(cells[0]):
        return False
    if not all(_STEPS_ALONE.fullmatch(cell) for cell in cells[2:]):
        return False
    return _BEFORE.fullmatch(cells[1]) is not None or _are_apart(cells[1:])


def _are_apart(cells: Sequence[str]) -> bool:
    """Whether numbers, many of them, are as far apart as each other: what is told every so many steps."""
    steps = [step_of(cell) for cell in cells]
    told = [each for each in steps if each is not None]
    apart = {later - former for former, later in pairwise(told)}
    return len(told) == len(cells) > _MANY_STEPS and len(apart) == 1 and apart.pop() > 0


def ends_of(lines: Sequence[str]) -> list[dict[str, float]]:
    """The metrics at a run's beginning and at its end, where a table has a column for each; else none."""
    for at, line in enumerate(lines):
        if (
            len(line) > _LONGEST
            or len(_BARS.findall(line)) < _FEWEST_STEPS
            or not (ends := _ends(_cells(line)))
        ):
            continue
        table = Sideways(len(_cells(line)), {column: count for count, column in enumerate(ends, 1)})
        if any(_SETTING.search(each) for each in lines[at:]):
            return []
        for each in lines[at + 1 :]:
            table.join(each)
        if len(rows := table.rows) == len(ends):
            return [row for _, row in rows]
    return []


def _ends(cells: list[str]) -> list[int]:
    """The columns of a run's beginning and of its end; others where they are not one of each, in this order."""
    begin = [at for at, cell in enumerate(cells[1:], 1) if _BEGIN.fullmatch(cell)]
    end = [at for at, cell in enumerate(cells[1:], 1) if _END.fullmatch(cell)]
    return [*begin, *end] if len(begin) == len(end) == 1 and begin < end else []


def _cells(text: str) -> list[str]:
    cells = [each.strip() for each in _BARS.split(text.strip())]
    # A table without bars around it may have nothing in its corner.
    begin = 0 if cells[0] or cells[-1] else 1
    return cells[begin : None if cells[-1] else -1]
