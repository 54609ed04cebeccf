"""Every attempt that has ended in the folders of runs, newest first, whatever became of its directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liverl.operate.answer import SUMMARY_CHARS, cut
from liverl.operate.find import Place, roots
from liverl.record.ledger import COMPLETED, FAILED, INTERRUPTED, LedgerRow, read_ledger

_LIMIT = 200
_REASON_CHARS = 120


@dataclass(frozen=True)
class Entry:
    """A row of a ledger, the root it is of, and whether the run's directory is still there."""

    root: Path
    row: LedgerRow
    is_there: bool

    @property
    def archive(self) -> str:
        """The archive's folder."""
        return str(self.root / self.row.archive)


@dataclass(frozen=True)
class Ledger:
    """The newest entries, and how many there are in all."""

    entries: tuple[Entry, ...]
    total: int
    counts: tuple[tuple[str, int], ...] = ()
    unreadable: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every ledger could be read."""
        return not self.unreadable

    @property
    def summary(self) -> str:
        """How many attempts have ended, and how."""
        if not self.total:
            return "No attempt has ended yet"
        counts = ", ".join(f"{count} {status}" for status, count in self.counts if count)
        return cut(f"{self.total} attempts have ended: {counts}", SUMMARY_CHARS)

    @property
    def next_action(self) -> str:
        """The newest archive's facts."""
        return f"cat {self.entries[0].archive}/metadata.json" if self.entries else "liverl run"

    def lines(self) -> list[str]:
        """The summary, and one line an attempt."""
        return [
            self.summary,
            *(_line(entry) for entry in self.entries),
            *(f"  can't be read: {why}" for why in self.unreadable),
        ]

    def payload(self) -> dict[str, Any]:
        """The entries as JSON."""
        return {
            "total": self.total,
            "entries": [_plain(entry) for entry in self.entries],
            "unreadable": list(self.unreadable),
        }


def ledger(place: Place, last: int = 20) -> Ledger:
    """The newest attempts of every folder that runs are looked for in; at most 200."""
    found: list[Entry] = []
    unreadable: list[str] = []
    for root in roots(place):
        try:
            found += [Entry(root, row, (root / row.run).is_dir()) for row in read_ledger(root)]
        except OSError as cause:
            unreadable.append(str(cause))
    found.sort(key=lambda entry: entry.row.ended, reverse=True)
    shown = found[: min(max(last, 1), _LIMIT)]
    counts = tuple(
        (status, sum(1 for entry in found if entry.row.status == status))
        for status in (COMPLETED, INTERRUPTED, FAILED)
    )
    return Ledger(tuple(shown), len(found), counts, tuple(unreadable))


def _line(entry: Entry) -> str:
    row = entry.row
    reward = "" if row.reward is None else f"  reward {row.reward:.2f}"
    gone = "" if entry.is_there else "  (its directory is gone)"
    steps = f"{row.steps} steps in {row.seconds:.0f} s"
    ended = f"{row.status} ({row.exit_code})"
    return f"  {row.ended[:16]}  {row.run}, attempt {row.attempt}: {ended}, {steps}{reward}{gone}"


def _plain(entry: Entry) -> dict[str, Any]:
    row = entry.row
    return {
        "id": row.id,
        "run": row.run,
        "attempt": row.attempt,
        "status": row.status,
        "exit_code": row.exit_code,
        "started": row.started,
        "ended": row.ended,
        "seconds": row.seconds,
        "steps": row.steps,
        "reward": row.reward,
        "validation": row.validation,
        "reason": cut(row.reason, _REASON_CHARS),
        "archive": entry.archive,
        "there": entry.is_there,
    }
