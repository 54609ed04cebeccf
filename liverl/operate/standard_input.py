"""A log that comes by standard input, as a file that can be read again and again and is gone with the process.

file_of    where it can be read
without    a diagnosis that speaks of standard input instead of that place
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from liverl.errors import RunError
from liverl.operate.diagnosed import Diagnosed

_PIECE_BYTES = 1 << 20


def is_file_from_its_start(descriptor: int = 0) -> bool:
    """Whether standard input is a file that nobody has begun to read, as `< run.log` makes it.

    A pipe may be one that never ends, and belong to whoever started this process; a file that was read in part
    belongs to a shell that reads its commands or its list there.
    """
    try:
        found = os.fstat(descriptor)
        return stat.S_ISREG(found.st_mode) and found.st_size > 0 and os.lseek(descriptor, 0, os.SEEK_CUR) == 0
    except OSError:
        return False


@contextlib.contextmanager
def file_of(stream: BinaryIO | None) -> Iterator[Path]:
    """The file behind a stream where it is one, else one without a name that the stream was copied to.

    Raises `RunError` where there is nothing to read from, or a terminal.
    """
    if stream is None or stream.isatty():
        raise RunError(
            "diagnose.stdin",
            "Nothing is given by standard input.",
            next_action="COMMAND | liverl diagnose -   or name the file: liverl diagnose run.log",
        )
    if (there := _behind(stream.fileno())) is not None:
        yield there
        return
    with tempfile.TemporaryFile(prefix="liverl-") as kept:
        shutil.copyfileobj(stream, kept, _PIECE_BYTES)
        kept.flush()
        yield Path(f"/proc/{os.getpid()}/fd/{kept.fileno()}")


def without(found: Diagnosed, path: Path) -> Diagnosed:
    """A diagnosis of a file without a name: its commands say FILE; one of a file that has a name is left as it is."""
    if not str(path).startswith("/proc/"):
        return found
    named = shlex.quote(str(path))
    told = tuple(
        replace(each, confirm=each.confirm.replace(named, "FILE")) for each in found.diagnosis.findings
    )
    judged = replace(found.diagnosis, findings=told)
    return replace(found, source="standard input", diagnosis=judged, note=found.note.replace(named, "FILE"))


def _behind(descriptor: int) -> Path | None:
    """The path of a file that is read from its start; None for what has none."""
    if not is_file_from_its_start(descriptor):
        return None
    try:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        return path if os.path.samestat(path.stat(), os.fstat(descriptor)) else None
    except OSError:  # it was removed, or stands where this process sees nothing
        return None
