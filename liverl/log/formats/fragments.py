"""Rows of metrics in objects over several lines that are no document: a piece of trainer_state.json."""

from __future__ import annotations

import re

from liverl.log.formats import dicts
from liverl.log.formats.rows import Rows
from liverl.log.formats.training import OF_A_TRAINING, known_of
from liverl.log.formats.values import whole
from liverl.log.names import Names

# What somebody cut out of a file of metrics; a longer one is read by its lines, or as a document.
MOST_BYTES = 4 << 20
_OBJECT = re.compile(r"\{[ \t]*\n[^{}]{2,16384}+\}")
# The first object of a piece may have lost its beginning, the last one its end.
_CUT = re.compile(r"\A[^{}]{2,16384}+\}|\{[ \t]*\n[^{}]{2,16384}+\Z")
_STEP_KEYS = ("step", "global_step", "_step", "iteration", "iter", "update")
_FEWEST_KNOWN = 2


def fragment_rows(content: bytes) -> Rows:
    """The rows of such objects in their order; none where a text holds none of a training."""
    rows = Rows(Names())
    if len(content) > MOST_BYTES or b"{" not in content:
        return rows
    has_steps = re.search(rb'"(?:%b)"\s*:' % "|".join(_STEP_KEYS).encode(), content) is not None
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    told = sorted((found.start(), found.group()) for form in (_OBJECT, _CUT) for found in form.finditer(text))
    for _, each in told:
        row = dicts.pairs(each + "}" * (not each.endswith("}")))
        step = next((whole(row[key]) for key in _STEP_KEYS if key in row), None)
        if _is_row(row) and not dicts.is_sample(each) and not (step is None and has_steps):
            rows.add({key: value for key, value in row.items() if key not in _STEP_KEYS}, step)
    return rows


def _is_row(row: dict[str, float]) -> bool:
    """Whether an object tells of a step: a configuration has a learning rate too."""
    known = known_of(row) - {"actor/lr"}
    return len(known) >= _FEWEST_KNOWN and bool(known & OF_A_TRAINING)
