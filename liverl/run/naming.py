"""A new run directory, under a name that can be a run's."""

from __future__ import annotations

import contextlib
import itertools
import re
import string
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.ledger import ARCHIVES, LEDGER

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
# What else lies in a folder of runs; `single` holds the trials that were run alone.
_RESERVED = (ARCHIVES, LEDGER, "single")


def new_run(root: Path, name: str, model: str, scaffold: str) -> RunDir:
    """Make a run directory in a folder; an empty name makes one of model, scaffold and the day.

    Raises `RunError` where the name is taken, or can't be a run's, and `OSError` where nothing can be made; then
    nothing is left.
    """
    if name:
        _refuse_bad_name(name)
        try:
            return _make(root / name)
        except FileExistsError:
            raise RunError(
                "run.name_taken",
                f"{root / name} is there already.",
                next_action=f"liverl resume {name}   or another --name",
            ) from None
    for made in run_names(model, scaffold, date.today()):
        try:
            return _make(root / made)
        except FileExistsError:
            continue
    raise AssertionError("run_names never ends")


def _make(root: Path) -> RunDir:
    try:
        return RunDir.create(root)
    except FileExistsError:
        raise
    except OSError:
        # On a full disk some of its folders may have been made. Only empty ones go: it may be somebody else's by now.
        for folder in [*root.glob("*"), root]:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _refuse_bad_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise RunError(
            "run.bad_name",
            "A run's name is a folder's: letters, digits, dots, dashes and underscores, beginning with no dot or dash.",
            evidence=repr(name[:100]),
            next_action="another --name",
        )
    if name.lower() in _RESERVED:
        raise RunError(
            "run.bad_name",
            "This name is that of something else in the folder of runs.",
            evidence=f"kept for other things: {', '.join(_RESERVED)}",
            next_action="another --name",
        )


def run_names(model: str, scaffold: str, day: date) -> Iterator[str]:
    """Readable names of a day, such as policy-shell-1121a, ...1121b; endless."""
    stem = f"{_slug(model)}-{_slug(scaffold)}-{day:%m%d}"
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            yield stem + "".join(letters)


def _slug(text: str) -> str:
    last = text.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    return re.sub(r"[^a-z0-9.]+", "-", last.lower()).strip("-.")[:32] or "run"
