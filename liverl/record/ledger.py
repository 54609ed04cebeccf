"""ledger.jsonl in a run root: one row an attempt that has ended, whatever became of its directory since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from liverl.record.jsonl import append_object, read_objects
from liverl.record.shapes import optional, real, text, whole

LEDGER = "ledger.jsonl"
ARCHIVES = "archives"
COMPLETED, INTERRUPTED, FAILED = "completed", "interrupted", "failed"
_INTERRUPTED_CODES = (130, 143)


@dataclass(frozen=True)
class LedgerRow:
    """One attempt that has ended; `archive` is its folder relative to the root, times are UTC.

    `status` is completed, interrupted or failed; `steps` is the step it had come to; `reward` that of its last step,
    `validation` the last mean reward of a validation.
    """

    id: str
    run: str
    attempt: int
    started: str
    ended: str
    status: str
    exit_code: int
    seconds: float = 0.0
    steps: int = 0
    reward: float | None = None
    validation: float | None = None
    reason: str = ""
    archive: str = ""

    @property
    def key(self) -> tuple[str, int, str]:
        """What tells the attempt from that of a later run with the same name."""
        return self.run, self.attempt, self.started


def status_of(exit_code: int) -> str:
    """completed (0), interrupted (130 and 143: SIGINT and SIGTERM) or failed."""
    if exit_code == 0:
        return COMPLETED
    return INTERRUPTED if exit_code in _INTERRUPTED_CODES else FAILED


def read_ledger(root: Path) -> list[LedgerRow]:
    """The rows of a run root, oldest first; what is no row is skipped; raises `OSError` when it can't be read."""
    return [row for item in read_objects(root / LEDGER) if (row := _row(item)) is not None]


def append_row(root: Path, row: LedgerRow) -> None:
    """Append a row in one write."""
    append_object(root / LEDGER, asdict(row))


def _row(item: dict[str, Any]) -> LedgerRow | None:
    try:
        return LedgerRow(**{name: read(item[name]) for name, read in _READ.items() if name in item})
    except TypeError:
        return None


_READ: dict[str, Callable[[object], Any]] = {
    **dict.fromkeys(("id", "run", "started", "ended", "status", "reason", "archive"), text),
    **dict.fromkeys(("attempt", "exit_code", "steps"), whole),
    "seconds": real,
    "reward": optional(real),
    "validation": optional(real),
}
