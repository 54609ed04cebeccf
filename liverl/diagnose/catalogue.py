"""Every failure that is known: the write-ups of troubleshooting/, read anew after a change (`liverl.diagnose.kept`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from liverl.diagnose.diagnose import OPTIMISATION, REWARD
from liverl.diagnose.kept import digest_of, load, save
from liverl.diagnose.writeup import WriteUp, read_writeup
from liverl.errors import RunError
from liverl.log.literals import Needle, needles_of, recall
from liverl.log.sighting import LinePattern
from liverl.log.uncollected import uncollected

FOLDER = Path(__file__).resolve().parents[2] / "troubleshooting"


@dataclass(frozen=True)
class _Kept:
    """The write-ups, and the literals of the lines that they look for."""

    writeups: tuple[WriteUp, ...]
    needles: Mapping[LinePattern, tuple[Needle, ...]]


@lru_cache(maxsize=4)
def catalogue(folder: Path = FOLDER) -> tuple[WriteUp, ...]:
    """The write-ups in the order of their paths; raises `RunError` where one can't be read or an id stands twice."""
    paths = [path for path in sorted(folder.rglob("*.md")) if path.name != "README.md"]
    with uncollected():
        if folder != FOLDER:
            return _read(paths, folder)
        try:
            digest = digest_of(paths)
        except OSError:
            return _read(paths, folder)  # which says what can't be read
        if isinstance(kept := load(digest), _Kept):
            recall(kept.needles)
            return kept.writeups
        found = _read(paths, folder)
        save(digest, _Kept(found, {pattern: needles_of(pattern) for pattern in patterns(found)}))
        return found


def _read(paths: Sequence[Path], folder: Path) -> tuple[WriteUp, ...]:
    found = tuple(read_writeup(path, folder) for path in paths)
    by_id: dict[str, WriteUp] = {}
    for each in found:
        if other := by_id.get(each.id):
            raise RunError(
                "diagnose.writeup",
                f"the id {each.id} stands twice.",
                evidence=f"{other.path} and {each.path}",
                next_action="give one of them another id",
            )
        by_id[each.id] = each
    if not found:
        raise RunError(
            "diagnose.writeup",
            f"no write-up is in {folder}.",
            next_action="run LiveRL from its checkout: troubleshooting/ is part of it",
        )
    return found


def patterns(writeups: tuple[WriteUp, ...]) -> tuple[LinePattern, ...]:
    """Every line that the write-ups look for."""
    return tuple(pattern for each in writeups for sign in each.signature for pattern in sign.patterns)


def metrics_of(writeups: tuple[WriteUp, ...]) -> frozenset[str]:
    """Every metric that a write-up, or the verdict, speaks of."""
    named = {metric for each in writeups for sign in each.signature for metric in sign.metrics}
    return frozenset(
        named | {metric for each in writeups for metric in each.needs} | set(REWARD + OPTIMISATION)
    )
