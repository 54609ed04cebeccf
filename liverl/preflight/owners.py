"""Whose process is it: its command, its user, since when, and which processes stand above it."""

from __future__ import annotations

import os
import pwd
import time
from dataclasses import dataclass
from pathlib import Path

from liverl.preflight.masking import shown_command
from liverl.record.clock import to_utc

_PROC = Path("/proc")


@dataclass(frozen=True)
class Owner:
    """A process as a person would name it; `started_s` in seconds since 1970, 0 where it is not known."""

    pid: int
    command: str
    user: str
    started_s: float

    @property
    def told(self) -> str:
        """One line: pid, command, user, start."""
        since = f", since {to_utc(self.started_s)} ({for_how_long(self.started_s)})" if self.started_s else ""
        return f"process {self.pid} ({self.command or 'its command is not shown'}) of {self.user}{since}"


def look_up(pid: int) -> Owner | None:
    """What /proc says of a process; None where there is none of that pid here."""
    fields = _stat(pid)
    if fields is None:
        return None
    try:
        uid = (_PROC / str(pid)).stat().st_uid
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return None
    command = shown_command([word for word in words if word]) or f"[{_name(pid)}]"
    return Owner(pid, command, user_name(uid), boot_time_s() + int(fields[19]) / os.sysconf("SC_CLK_TCK"))


def ancestry(pid: int) -> list[int]:
    """A process and those above it, the nearest first; empty where it is gone or not seen here."""
    found: list[int] = []
    while pid > 0 and pid not in found and (fields := _stat(pid)) is not None:
        found.append(pid)
        pid = int(fields[1])
    return found


def user_name(uid: int) -> str:
    """A user's name, or the number where it has none here."""
    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user {uid}"


def boot_time_s() -> float:
    """When this machine was started, in seconds since 1970; 0 where /proc does not tell."""
    for line in _text(_PROC / "stat").splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0


def for_how_long(started_s: float, now_s: float | None = None) -> str:
    """The time since a start, in its two largest units, such as `2 h 5 min`."""
    seconds = max(0, int((time.time() if now_s is None else now_s) - started_s))
    units = (
        ("d", seconds // 86400),
        ("h", seconds // 3600 % 24),
        ("min", seconds // 60 % 60),
        ("s", seconds % 60),
    )
    first = next((place for place, (_, count) in enumerate(units) if count), len(units) - 1)
    return " ".join(f"{count} {unit}" for unit, count in units[first : first + 2])


def _name(pid: int) -> str:
    return _text(_PROC / str(pid) / "comm").strip()


def _stat(pid: int) -> list[str] | None:
    # The command's name may hold spaces and parentheses, so the fields start behind the last one.
    text = _text(_PROC / str(pid) / "stat")
    return text[text.rindex(")") + 2 :].split() if ")" in text else None


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
