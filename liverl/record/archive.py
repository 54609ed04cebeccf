"""archives/run_NNN in a run root: what an attempt was and what became of it, kept when its directory is not.

archive_attempt   the folder and the ledger's row, once an attempt
metadata          the facts of an attempt, of what is on record

A folder holds config.yaml, resolved.yaml, metadata.json and the last 200 lines of the log. It appears by rename, whole;
the row is appended after it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from liverl.record.clock import to_seconds
from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir
from liverl.record.ledger import ARCHIVES, LedgerRow, append_row, read_ledger, status_of
from liverl.record.masking import mask
from liverl.record.metrics import Row, read_metrics
from liverl.record.plan import AttemptPlan
from liverl.record.runfile import Attempt
from liverl.record.shapes import decode, number
from liverl.record.tail import tail_lines

_LOG_LINES = 200
_LOG_BYTES = 1024 * 1024
_LOCK_LIMIT_S = 5.0
_VALIDATION = "trial/val/reward/mean"
_REWARDS = ("trial/reward/mean", "critic/score/mean")


def archive_attempt(run: RunDir, attempt: Attempt, plan: AttemptPlan | None, exit_code: int) -> str:
    """Archive an attempt that has ended; returns the archive's name, "" when it was archived before.

    Raises `OSError` when that can't be written; then nothing is half done, and it can be tried again.
    """
    root = run.root.parent
    folder = root / ARCHIVES
    folder.mkdir(exist_ok=True)
    with _locked(folder / ".lock"):
        rows = read_ledger(root)
        if (run.name, attempt.number, attempt.started) in {row.key for row in rows}:
            return ""
        facts = metadata(run, attempt, plan, exit_code, read_metrics(run))
        # A writer that was killed between the two left a folder without a row.
        name = _without_row(folder, rows, facts) or _make(folder, run, attempt, facts)
        append_row(root, _row(name, facts))
        return name


def metadata(
    run: RunDir, attempt: Attempt, plan: AttemptPlan | None, exit_code: int, rows: list[Row]
) -> dict[str, Any]:
    """The facts of an attempt: plain JSON."""
    own = [row for row in rows if row["attempt"] == attempt.number]
    measured = [(row["step"], value) for row in rows if (value := number(row.get(_VALIDATION))) is not None]
    ended = attempt.ended or attempt.started
    return {
        "run": run.name,
        "run_dir": str(run.root),
        "attempt": attempt.number,
        "status": status_of(exit_code),
        "state": attempt.state,
        "exit_code": exit_code,
        "reason": mask(attempt.reason),
        "started": attempt.started,
        "ended": ended,
        "seconds": round(max(0.0, to_seconds(ended) - to_seconds(attempt.started)), 1),
        "host": attempt.host,
        "steps_planned": plan.steps if plan else 0,
        "steps": max((row["step"] for row in own), default=0),
        "steps_made": sum(1 for row in own if row["step"] > 0),
        "reward": _reward(own),
        "validation": _validation(measured),
        "versions": plan.versions if plan else {},
        "commit": plan.commit if plan else "",
        "dirty": plan.dirty if plan else False,
        "confirmed_by": plan.confirmed_by if plan else "",
    }


def _reward(own: list[Row]) -> float | None:
    rewards = (number(row.get(key)) for row in reversed(own) for key in _REWARDS)
    return next((reward for reward in rewards if reward is not None), None)


def _validation(measured: list[tuple[int, float]]) -> dict[str, dict[str, float]]:
    if not measured:
        return {}
    chosen = {"first": measured[0], "last": measured[-1], "best": max(measured, key=lambda item: item[1])}
    return {name: {"step": step, "reward": reward} for name, (step, reward) in chosen.items()}


def _row(name: str, facts: dict[str, Any]) -> LedgerRow:
    last = facts["validation"].get("last", {})
    return LedgerRow(
        id=name,
        run=facts["run"],
        attempt=facts["attempt"],
        started=facts["started"],
        ended=facts["ended"],
        status=facts["status"],
        exit_code=facts["exit_code"],
        seconds=facts["seconds"],
        steps=facts["steps"],
        reward=facts["reward"],
        validation=last.get("reward"),
        reason=facts["reason"],
        archive=f"{ARCHIVES}/{name}",
    )


def _make(folder: Path, run: RunDir, attempt: Attempt, facts: dict[str, Any]) -> str:
    draft = folder / f".draft_{socket.gethostname()}_{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir()
        for source in (run.config, run.resolved):
            if source.is_file():
                shutil.copyfile(source, draft / source.name)
        lines = tail_lines(run.attempt_log(attempt.number), _LOG_LINES, _LOG_BYTES)
        (draft / "log_tail.txt").write_text("".join(f"{line}\n" for line in lines))
        write_by_rename(draft / "metadata.json", json.dumps(facts, indent=1).encode() + b"\n", durable=True)
        return _settle(folder, draft)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _settle(folder: Path, draft: Path) -> str:
    """Give a draft the next free number: making the folder takes it, the rename fills it."""
    following = 1 + max((_number_of(path) for path in folder.glob("run_*")), default=0)
    while True:
        target = folder / f"run_{following:03d}"
        try:
            target.mkdir()
        except FileExistsError:
            following += 1
            continue
        draft.rename(target)
        return target.name


def _number_of(path: Path) -> int:
    digits = path.name.removeprefix("run_")
    return int(digits) if digits.isdecimal() and digits.isascii() else 0


def _without_row(folder: Path, rows: list[LedgerRow], facts: dict[str, Any]) -> str:
    known = {row.id for row in rows}
    for path in sorted(folder.glob("run_*")):
        if path.name in known:
            continue
        found = _facts_in(path)
        if all(found.get(key) == facts[key] for key in ("run", "attempt", "started")):
            return path.name
    return ""


def _facts_in(folder: Path) -> dict[str, Any]:
    try:
        return decode((folder / "metadata.json").read_bytes())
    except (OSError, ValueError, TypeError):
        return {}


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock for one writer at a time on this machine; raises `OSError` when it is held for too long."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    deadline = time.monotonic() + _LOCK_LIMIT_S
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.05)
            except OSError:  # a file system without locks: the folders' numbers are still taken atomically
                break
        yield
    finally:
        os.close(descriptor)
