"""Memory of a tree of processes, sampled: each page counts once, divided among those who share it (PSS)."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

_PROC = Path("/proc")


def tree(roots: Iterable[int]) -> set[int]:
    """The processes of `roots` that live, and all below them."""
    children: dict[int, list[int]] = defaultdict(list)
    alive = set()
    for folder in _PROC.iterdir():
        if folder.name.isdigit() and (parent := _parent(folder)) is not None:
            alive.add(int(folder.name))
            children[parent].append(int(folder.name))
    found: set[int] = set()
    ahead = [pid for pid in roots if pid in alive]
    while ahead:
        pid = ahead.pop()
        if pid not in found:
            found.add(pid)
            ahead += children[pid]
    return found


def pss_bytes(pids: Iterable[int]) -> int:
    """The proportional set size of some processes together; one that has just ended counts nothing."""
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError):  # ended meanwhile, or a thread group on its way out
            rollup = (_PROC / str(pid) / "smaps_rollup").read_text()
            total += (
                next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024
            )
    return total


class MemoryWatch:
    """Samples the trees of the processes that `roots` names, in a thread, until the `with` block is left.

    `peak_bytes` is the largest sum seen, `samples` how many there were. A sample of a run's processes takes 0.2 s of a
    core, so they must not be frequent.
    """

    def __init__(self, roots: Callable[[], Collection[int]], every_s: float = 4.0) -> None:
        self.peak_bytes = 0
        self.samples = 0
        self._roots = roots
        self._every_s = every_s
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        self._thread.join()

    def _watch(self) -> None:
        due = time.monotonic()
        while not self._left.wait(max(0.0, due - time.monotonic())):
            due = time.monotonic() + self._every_s
            self.peak_bytes = max(self.peak_bytes, pss_bytes(tree(self._roots())))
            self.samples += 1


def _parent(folder: Path) -> int | None:
    try:
        # The name, in brackets, may hold anything.
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
