"""The live runs of the folders where runs were launched, of which one may hang without holding up the others.

live_runs  the live runs of those folders that answer
live_in    the live runs of one folder
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.run.liveness import Liveness, read_liveness
from liverl.run.roots import ROOT_LIMIT_S, each_root, runs_in


def live_runs(roots: Iterable[Path], limit_s: float = ROOT_LIMIT_S) -> list[tuple[RunDir, Liveness]]:
    """The runs of some folders whose processes are at work; takes at most `limit_s`."""
    found = each_root(roots, lambda root: list(live_in(root)), limit_s)
    unique = {run.root: (run, state) for runs in found.values() for run, state in runs}
    return list(unique.values())


def live_in(root: Path) -> Iterator[tuple[RunDir, Liveness]]:
    """The runs of a folder whose processes are at work."""
    for run in runs_in(root.resolve()):
        try:
            state = read_liveness(run)
        except (RunError, OSError):
            continue
        if state.is_live:
            yield run, state
