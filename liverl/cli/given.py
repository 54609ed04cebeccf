"""What every command does with its arguments: which configuration, which run, where to print."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from liverl.operate.find import Place, find_run

if TYPE_CHECKING:
    from liverl.operate.profile import Profile
    from liverl.record.layout import RunDir

# All of C0 and C1 but tab and line feed, what turns the direction of a text, and halves of characters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def profile(given: argparse.Namespace) -> Profile:
    """The configuration that the arguments name."""
    from liverl.operate.profile import Asked, read_profile

    return read_profile(Asked(given.config, tuple(given.set), given.smoke), place(given))


def place(given: argparse.Namespace) -> Place:
    """Where the user stands, and the run root they gave."""
    return Place.here(getattr(given, "run_root", None))


def run_of(given: argparse.Namespace, *, only_own: bool = False) -> RunDir:
    """The run that the arguments name; with `only_own` one of this folder's where they name none."""
    return find_run(given.name, place(given), only_own=only_own)


def say(given: argparse.Namespace) -> Callable[[str], None]:
    """Progress goes to standard output, or, where that is to hold JSON alone, to standard error."""
    stream = sys.stderr if given.json else sys.stdout
    return lambda line: print(harmless(line), file=stream, flush=True)


def put(given: argparse.Namespace, result: Any, text: str) -> None:
    """Print a result: as JSON where that was asked for, else the text."""
    print(harmless(json.dumps(_plain(result), ensure_ascii=False) if given.json else text))


def harmless(text: str) -> str:
    """The text without what a terminal would obey: trials hold what an agent in training has printed."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _plain(result: Any) -> Any:
    if hasattr(result, "payload"):
        from liverl.operate.answer import as_json

        return as_json(result)
    if hasattr(result, "as_dict"):
        return result.as_dict()
    return asdict(result) if is_dataclass(result) and not isinstance(result, type) else result
