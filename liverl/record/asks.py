"""What the control plane asks of the supervisor, as files in requests/."""

from __future__ import annotations

import json
from dataclasses import dataclass

from liverl.record.clock import utc_now
from liverl.record.jsonl import encode, write_by_rename
from liverl.record.layout import RunDir

_STOP = "stop.json"


@dataclass(frozen=True)
class StopAsk:
    """Somebody wants the attempt to end; `reason` says who or why."""

    time: str
    reason: str


def ask_stop(run: RunDir, reason: str) -> None:
    """Ask the supervisor to end the attempt cleanly."""
    write_by_rename(run.requests / _STOP, encode({"time": utc_now(), "reason": reason}))


def take_stop(run: RunDir) -> StopAsk | None:
    """The stop that was asked for, removed from requests/; None when none was."""
    path = run.requests / _STOP
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    path.unlink(missing_ok=True)
    try:
        row = json.loads(content)
        return StopAsk(str(row["time"]), str(row["reason"]))
    except (ValueError, TypeError, KeyError):
        return StopAsk(utc_now(), "an unreadable request")
