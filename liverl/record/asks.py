"""What the control plane asks of the supervisor, as files in requests/."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from liverl.record.clock import utc_now
from liverl.record.jsonl import encode, write_by_rename
from liverl.record.layout import RunDir
from liverl.record.shapes import decode, text

_STOP = "stop.json"


@dataclass(frozen=True)
class StopAsk:
    """Somebody wants the attempt to end; `reason` says who or why.

    `kill` confirms that what does not end by itself may be killed.
    """

    time: str
    reason: str
    kill: bool = False


def ask_stop(run: RunDir, reason: str, kill: bool = False) -> StopAsk:
    """Ask the supervisor to end the attempt cleanly, and with `kill` whatever it takes; returns what was asked.

    Raises `OSError` where the request can't be written.
    """
    ask = StopAsk(utc_now(), reason, kill)
    write_by_rename(run.requests / _STOP, encode({"time": ask.time, "reason": ask.reason, "kill": ask.kill}))
    return ask


def is_unanswered(run: RunDir) -> bool:
    """Whether a stop that was asked for still lies there: no supervisor has taken it."""
    return (run.requests / _STOP).is_file()


def take_stop(run: RunDir) -> StopAsk | None:
    """The stop that was asked for, removed from requests/; None when none was."""
    path = run.requests / _STOP
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError:  # somebody put a folder there, say
        return None
    with contextlib.suppress(OSError):  # a disk that became read-only keeps it; it was heard all the same
        path.unlink(missing_ok=True)
    try:
        row = decode(content)
        return StopAsk(text(row["time"]), text(row["reason"]), row.get("kill") is True)
    except (ValueError, TypeError, KeyError):
        return StopAsk(utc_now(), "an unreadable request")
