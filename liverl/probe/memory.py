"""Remembers what was found sound, by everything that decides it, in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from liverl.probe.digests import add_files, digest_of, rooms_digest, versions
from liverl.record.jsonl import write_by_rename

Row = dict[str, Any]
_KEPT = 5000


@dataclass
class Memory:
    """Sound answers by key; saved by rename, so that two checks that end in the same moment lose rows at worst."""

    file: Path
    rows: dict[str, Row]

    @classmethod
    def in_user_cache(cls, name: str) -> Memory:
        """The memory of this user for one question; empty where there is none or it can't be read."""
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return cls.read(Path(base) / "liverl" / f"{name}.json")

    @classmethod
    def read(cls, file: Path) -> Memory:
        """The memory in a file; empty where there is none or it can't be read."""
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            return cls(file, {str(key): dict(row) for key, row in told.items()})
        except (OSError, ValueError, TypeError, AttributeError):
            return cls(file, {})

    def recall(self, key: str) -> Row | None:
        """What was remembered under the key."""
        return self.rows.get(key)

    def remember(self, key: str, row: Row) -> None:
        """Keep a row until it is among the oldest of too many."""
        self.rows[key] = row

    def save(self) -> None:
        """Write the newest rows, beside those that others have written meanwhile; where that can't be done the next
        check takes longer, no more."""
        newest = dict(list({**Memory.read(self.file).rows, **self.rows}.items())[-_KEPT:])
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_by_rename(self.file, json.dumps(newest).encode())
        except OSError:
            return


def task_key(task: Path, limits: Mapping[str, int]) -> str:
    """A digest of the task's files, the limits, and what runs and grades it."""
    digest = hashlib.sha256(_surroundings().encode())
    digest.update(json.dumps(dict(limits), sort_keys=True).encode())
    add_files(digest, sorted(path for path in task.rglob("*") if path.is_file()), task)
    return digest.hexdigest()


@cache
def _surroundings() -> str:
    python = Path("/usr/bin/python3").resolve()
    changed = python.stat().st_mtime_ns if python.exists() else 0
    return digest_of(versions("harbor"), rooms_digest("sandbox", "trial"), str(python), changed)
