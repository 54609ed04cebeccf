"""events.jsonl, and the drop box through which the data plane adds to it.

append_event   the supervisor alone: one line into events.jsonl
post_event     anybody else: one file into requests/, by rename
each_posted    the supervisor: the posted events, oldest first, each removed from the box once it is dealt with
read_events    everybody
recent_events  everybody who looks again and again
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from liverl.record.clock import utc_now
from liverl.record.jsonl import append_object, encode, read_objects, recent_objects, write_by_rename
from liverl.record.layout import RunDir
from liverl.record.shapes import decode, text

KINDS = (
    "started",
    "boot",
    "ready",
    "step",
    "checkpoint",
    "trial_failed",
    "group_dropped",
    "step_skipped",
    "removed",
    "exported",
    "stopping",
    "stopped",
    "died",
    "finished",
    "drill",
    "resumed",
)

_COUNTER = itertools.count()


@dataclass(frozen=True)
class Event:
    """Something that happened in a run: when, what, and the fields that say more."""

    time: str
    kind: str
    fields: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The event as one flat object."""
        return {"time": self.time, "kind": self.kind, **self.fields}

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Event:
        """The event of a flat object."""
        fields = {key: value for key, value in row.items() if key not in ("time", "kind")}
        return cls(_text(row.get("time", "")), _text(row.get("kind", "")), fields)


def append_event(run: RunDir, kind: str, **fields: Any) -> Event:
    """Append an event to events.jsonl; the supervisor alone does this."""
    event = Event(utc_now(), kind, fields)
    append_object(run.events_jsonl, event.as_dict())
    return event


def ingest_event(run: RunDir, event: Event) -> None:
    """Append an event that another process posted, with its own time; the supervisor alone does this."""
    append_object(run.events_jsonl, event.as_dict())


def post_event(run: RunDir, kind: str, **fields: Any) -> Path:
    """Ask the supervisor to append an event; returns the file dropped into requests/."""
    name = f"event-{time.time_ns():020d}-{os.getpid()}-{next(_COUNTER)}.json"
    path = run.requests / name
    write_by_rename(path, encode(Event(utc_now(), kind, fields).as_dict()))
    return path


def each_posted(run: RunDir) -> Iterator[Event]:
    """The posted events in the order they were posted; each leaves requests/ when the next one is asked for.

    So an event that could not be appended stays there. What is no file, such as a folder with an event's name, is
    passed over: nobody here makes one, and it could not be taken out of the box.
    """
    for path in sorted(run.requests.glob("event-*.json")):
        if not path.is_file():
            continue
        try:
            row = decode(path.read_bytes())
        except (OSError, ValueError, TypeError):
            row = {"time": utc_now(), "kind": "boot", "message": f"unreadable request {path.name}"}
        yield Event.from_dict(row)
        path.unlink(missing_ok=True)


def recent_events(run: RunDir, limit_bytes: int = 262_144) -> list[Event]:
    """The events in the last bytes of the file, oldest first: enough of a boot or an end, at any length of a run."""
    return [Event.from_dict(row) for row in recent_objects(run.events_jsonl, limit_bytes)[0]]


def _text(value: object) -> str:
    try:
        return text(value)
    except TypeError:
        return ""


def read_events(run: RunDir) -> list[Event]:
    """Every event, oldest first; a torn line is skipped."""
    return [Event.from_dict(row) for row in read_objects(run.events_jsonl)]
