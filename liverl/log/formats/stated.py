"""Lines that each tell a step and its metrics by names that no trainer known here prints: each line is looked at."""

from __future__ import annotations

from itertools import pairwise

from liverl.log.formats import dicts, pairs
from liverl.log.formats.rows import Rows
from liverl.log.formats.training import is_of_training, known_of
from liverl.log.names import Names

MOST_BYTES = 4 << 20
_FEWEST_ROWS, _FEWEST_KNOWN = 4, 2
_COUNTERS = ("tep", "STEP", "ter", "pdate")
_Stated = tuple[int, dict[str, float], int]


def stated_rows(content: bytes) -> Rows:
    """The rows of such a text, those that begin alike and count up; none of any other."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES:
        return rows
    by_head: dict[str, list[_Stated]] = {}
    for at, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        if not any(each in line for each in _COUNTERS):
            continue
        if "{" in line and (told := dicts.parse_counted(line)) is not None and told[0] is not None:
            by_head.setdefault("{", []).append((told[0], told[1], at))
        elif (found := pairs.stated(line)) is not None and len(found[2]) >= _FEWEST_KNOWN:
            head = " ".join(found[0].split())
            by_head.setdefault(head, []).append((found[1], found[2], at))
    best = max((each for each in by_head.values() if _is_run(each)), key=len, default=[])
    for step, row, at in best:
        rows.add(
            {name: value for name, value in row.items() if name.lower() not in ("step", "iter")}, step, at
        )
    return rows


def _is_run(told: list[_Stated]) -> bool:
    steps = [step for step, _, _ in told]
    names = {name for _, row, _ in told for name in row}
    return (
        len(told) >= _FEWEST_ROWS
        and all(before < after for before, after in pairwise(steps))
        and len(known_of(names) - {"actor/lr"}) >= _FEWEST_KNOWN
        and is_of_training(names - {"lr", "learning_rate"})
    )
