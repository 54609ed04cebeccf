"""What the columns of a table of metrics are called: without units, a run's name, what a file's name says of it."""

from __future__ import annotations

import re
from pathlib import Path

from liverl.log.formats.cells import WHOLE, key_of, scale_of
from liverl.log.names import as_verl, is_metric

_TAG = re.compile(r"run-.*?[-_]?tag-(.+)$")
# What a browser, and a person, put behind the name of a second file.
_COPY = re.compile(r"(?: ?\(\d+\)|[ _-]copy(?:[ _-]?\d+)?)$")
_PARTS = re.compile(r"[-\s]+|__")
# A file's name that says whose metric it is, and not the policy's.
_OTHERS = re.compile(r"(?:^|[^a-z])(?:value|critic|teacher|ref|reference|reward_model|rm|head)[_-]$")
# MLflow's store: a file without an ending a metric.
_STORE = "metrics"
_MARK = re.compile(r"\s*sep=(.)\s*$", re.IGNORECASE)


def named(header: str) -> tuple[str, float]:
    """The metric that a column is called by, and what its values are multiplied by; else the header as it stands."""
    if not is_metric(header) and is_metric(known := key_of(header)):
        return known, scale_of(header)
    return without_run(header), 1.0


def without_run(name: str) -> str:
    """A known metric behind a run's name and a dash (`grpo-7b-actor/entropy`); else the name itself."""
    if "-" not in name or "/" not in name or name.startswith(WHOLE) or is_metric(name):
        return name
    ends = (name[at + 1 :] for at, sign in enumerate(name) if sign == "-")
    return next((end for end in ends if "/" in end and is_metric(end)), name)


def metric_of(path: Path) -> str:
    """The metric that a file of one is called by, as TensorBoard and MLflow name them."""
    if not path.suffix and _STORE in path.parts:
        at = len(path.parts) - path.parts[::-1].index(_STORE)
        return "/".join(path.parts[at:]) or path.name
    stem = _COPY.sub("", path.stem)
    if found := _TAG.match(stem):
        return found.group(1)
    last = _PARTS.split(stem)[-1]
    if is_metric(as_verl(stem)):
        return stem
    # Behind a run's name the longest that is a metric of verl's, whose slashes no file's name can have.
    ends = [last] + [last[at + 1 :] for at, sign in enumerate(last) if sign == "_"]
    return next(
        (
            end
            for end in ends
            if "_" in end and _OTHERS.search(stem[: -len(end)]) is None and is_metric(as_verl(end))
        ),
        stem,
    )


def is_note(line: str) -> bool:
    """Whether a line above a table's header is none of the table's: a comment, the mark of what parts the cells."""
    text = line.strip()
    if not text.startswith("#"):
        return _MARK.match(text) is not None
    # numpy begins a header so: names, and nothing that is set or called.
    return not any(each in text for each in ",;\t") or any(each in text for each in "=(")
