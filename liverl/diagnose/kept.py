"""The write-ups as they were read last, in the user's cache folder: reading hundreds takes longer than most logs do.

What is kept holds for the very files it was made of, the code that reads them and the interpreter; everything else is
read anew. It is a pickle, as what an interpreter keeps of a module is a program: so it is taken only from a file that
nobody but its user can have written.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import liverl
from liverl.record.jsonl import write_by_rename

_ROOMS = ("diagnose", "log")
_OTHERS_WRITE = 0o022


def load(digest: str) -> Any:
    """What was kept under a digest; None where nothing was, or where it can't be trusted or read."""
    try:
        with _file().open("rb") as stream:
            state = os.fstat(stream.fileno())
            if state.st_uid != os.geteuid() or state.st_mode & _OTHERS_WRITE:
                return None
            if stream.readline() != digest.encode() + b"\n":
                return None
            return pickle.load(stream)
    except Exception:  # half a file, or one of other classes: a pickle raises whatever it likes
        return None


def save(digest: str, kept: Any) -> None:
    """Keep something under a digest, in place of what was kept; where that can't be done the next process takes
    longer, no more."""
    try:
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_by_rename(file, digest.encode() + b"\n" + pickle.dumps(kept, pickle.HIGHEST_PROTOCOL))
        file.chmod(0o600)
    except (OSError, RuntimeError):  # no room, no right, no home
        return


def digest_of(paths: Iterable[Path]) -> str:
    """What tells files, with the code that reads them and the interpreter, from any others; raises `OSError`."""
    package = Path(liverl.__file__).parent
    code = [path for room in _ROOMS for path in sorted((package / room).rglob("*.py"))]
    digest = hashlib.sha256(f"{sys.version}\0{package}".encode())
    for path in (*code, *paths):
        content = path.read_bytes()
        digest.update(f"\0{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _file() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "liverl" / "writeups.pickle"
