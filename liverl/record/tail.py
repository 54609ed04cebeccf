"""The last lines of a log of any size, without secrets, and the few that say why a process ended."""

from __future__ import annotations

import re
from pathlib import Path

from liverl.record.masking import mask

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_RAY_PREFIX = re.compile(r"^\([^()]*\b(?:pid|ip)=[^()]*\)\s?")
_CAUSE = re.compile(r"^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Killed)\b\s*(?::|\(|$)")
_NOISE = re.compile(
    r"^(?:\s*|[\s\^~=\-*.]+)$|ray\.exceptions\.RayTaskError|^\s*File \"|^\s*Set the environment variable"
    r"|^Training Progress:|^step:\d+ - |^(?:DEBUG|INFO)\b"
)
_WIDTH = 300


def tail_lines(path: Path, count: int, limit_bytes: int = 262_144) -> list[str]:
    """The last `count` lines, cleaned and masked, of the last `limit_bytes`; nothing when the file is missing."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            start = stream.seek(max(0, size - limit_bytes))
            lines = stream.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    if start and len(lines) > 1:
        del lines[0]  # the end of a line, of which nobody can tell whether it is the end of a secret
    return [mask(clean(line)) for line in lines[-count:]]


def clean(line: str) -> str:
    """A line without terminal colours and without Ray's `(actor pid=N)` prefix."""
    return _RAY_PREFIX.sub("", _ANSI.sub("", line)).rstrip()


def last_words(path: Path, count: int = 8) -> list[str]:
    """The lines that say why: those around the last one that names an error, else the last with content."""
    lines = [line[:_WIDTH] for line in tail_lines(path, 400) if not _NOISE.search(line)]
    causes = [index for index, line in enumerate(lines) if _CAUSE.search(line)]
    if not causes:
        return lines[-count:]
    end = min(len(lines), causes[-1] + 3)
    return lines[max(0, end - count) : end]


def cause_line(lines: list[str]) -> str:
    """The one line that names the error, else the last one, else nothing; without secrets."""
    named = next((line for line in reversed(lines) if _CAUSE.search(line)), lines[-1] if lines else "")
    return mask(named.strip())
