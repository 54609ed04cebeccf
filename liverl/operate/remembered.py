"""What the last diagnosis of a run said, kept in the user's state folder so that `status` can tell it in no time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir
from liverl.record.shapes import decode, real, text, whole
from liverl.run.roots import state_file

if TYPE_CHECKING:
    from liverl.operate.diagnosed import Diagnosed

_KEPT_S = 7 * 24 * 3600.0


@dataclass(frozen=True)
class Remembered:
    """When a run was diagnosed (seconds since 1970), at which step, the verdict, and the count with the first cause."""

    time_s: float
    attempt: int
    step: int
    verdict: str
    told: str

    @property
    def age_s(self) -> float:
        """Seconds since then."""
        return max(0.0, time.time() - self.time_s)

    @property
    def line(self) -> str:
        """All in one line."""
        return f"{self.told} (at step {self.step}, {self.age_s:.0f} s ago)"


def remember(run: RunDir, attempt: int, found: Diagnosed) -> None:
    """Keep what a diagnosis says; where the state folder can't be written, nobody knows."""
    # What follows from another finding is part of it.
    alarms = [each for each in found.diagnosis.findings if each.is_alarm and not each.secondary_to]
    counts = Counter(each.severity for each in alarms)
    told = ", ".join(f"{count} {severity}" for severity, count in counts.items())
    primary = found.diagnosis.primary
    told = f"{told}, first {primary.id}" if primary else found.diagnosis.verdict.replace("_", " ")
    last = int(found.diagnosis_step)
    row = {
        "time_s": time.time(),
        "attempt": attempt,
        "step": last,
        "verdict": found.diagnosis.verdict,
        "told": told,
    }
    path = _file(run)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep(path.parent)
        write_by_rename(path, json.dumps(row).encode())


def recall(run: RunDir) -> Remembered | None:
    """What the last diagnosis of a run said; None where there was none, or its file can't be read."""
    try:
        row = decode(_file(run).read_bytes())
        kept = Remembered(
            real(row["time_s"]),
            whole(row["attempt"]),
            whole(row["step"]),
            text(row["verdict"]),
            text(row["told"]),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return kept


def _file(run: RunDir) -> Path:
    digest = hashlib.sha256(str(run.root.resolve()).encode()).hexdigest()[:16]
    return state_file().parent / "findings" / f"{digest}.json"


def _sweep(folder: Path) -> None:
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _KEPT_S:
                path.unlink()
