"""Is this machine's clock right: not before this program was written, and not behind the files of runs?"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.record.clock import to_utc
from liverl.run.liveness import STALE_S

# No run of this version can be older than the packages it pins.
_EARLIEST_S = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
_LATEST_S = datetime(2100, 1, 1, tzinfo=UTC).timestamp()
_LOOKED_AT = 200


def check_clock(context: Context) -> list[Finding]:
    """Compares the clock with the years that are possible and with files that are there; nothing is written."""
    path, newest_s = newest(_files(context))
    return judge_clock(time.time(), newest_s, str(path or ""))


def judge_clock(now_s: float, newest_s: float, file: str) -> list[Finding]:
    """The finding for the time now and that of the newest file (0: there is none), in seconds since 1970."""
    if not _EARLIEST_S <= now_s < _LATEST_S:
        title = f"The clock of this machine says {to_utc(now_s)}"
        cure = "sudo timedatectl set-ntp true   or: sudo date -s 'YYYY-MM-DD HH:MM:SS'"
        return [
            Finding("clock:wrong", "error", title, "certificates and the order of runs depend on it", cure)
        ]
    behind_s = newest_s - now_s
    if behind_s > STALE_S:  # live runs are told from dead ones by the age of a file in their folder
        title = f"The clock is {behind_s:.0f} s behind a file in the folder of runs"
        seen = f"{file} was written at {to_utc(newest_s)}, it is {to_utc(now_s)} here"
        cure = "sudo timedatectl set-ntp true   on this machine and on the file server"
        return [Finding("clock:behind", "warn", title, seen, cure)]
    return [
        Finding("clock:right", "info", f"The clock says {to_utc(now_s)}", _compared(now_s, newest_s, file))
    ]


def newest(paths: Iterable[Path]) -> tuple[Path | None, float]:
    """The file that was written last, and when, in seconds since 1970; 0 where there is none."""
    found: tuple[Path | None, float] = (None, 0.0)
    for path in paths:
        try:
            written_s = path.stat().st_mtime
        except OSError:
            continue
        if written_s > found[1]:
            found = path, written_s
    return found


def _files(context: Context) -> list[Path]:
    """What a run touches all the time, in the folder where runs lie."""
    root = context.config.experiment.run_root
    try:
        names = sorted(os.listdir(root))[-_LOOKED_AT:]  # noqa: PTH208  names alone, no stat of each
    except OSError:
        return []
    return [root, *(root / name / "heartbeat" for name in names)]


def _compared(now_s: float, newest_s: float, file: str) -> str:
    return (
        f"the newest file in the folder of runs is {now_s - newest_s:.0f} s old: {file}" if newest_s else ""
    )
