"""A file that somebody wants to be read, opened; a clear error where there is nothing to read.

opened     a descriptor of a regular file
unpacked   one of what a packed file holds
kept       one of a text that was made from a file's
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from liverl.errors import LiveRLError, RunError
from liverl.log.formats.encoded import plain_pieces

_NEXT = "name a log, or a file of metrics"
# What is packed needs room beside the file while it is read.
MOST_UNPACKED_BYTES = 16 << 30


def opened(path: Path) -> int:
    """A descriptor of a regular file; raises `LiveRLError` (log.*) that says why there is none."""
    try:
        # Not blocking: a pipe in the place of a file must not hold its reader.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError("log.missing", f"{path} is not there.", next_action=_NEXT) from None
    except PermissionError as error:
        raise RunError(
            "log.permission",
            f"{path} may not be read.",
            evidence=str(error),
            next_action=f"ask its owner, or: chmod u+r {path}",
        ) from None
    except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
        raise unreadable(path, error) from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    what = "a folder" if stat.S_ISDIR(mode) else "a pipe" if stat.S_ISFIFO(mode) else "a device"
    raise RunError("log.no_file", f"{path} is {what}, no file.", next_action=_NEXT)


def unpacked(path: Path, on_cut: Callable[[], None]) -> int:
    """A descriptor of a nameless file with what a packed one holds; `on_cut` is called where that is not all of it.

    Raises `LiveRLError` (log.*).
    """
    return kept(plain_pieces(path, on_cut), path)


def kept(pieces: Iterable[bytes], path: Path) -> int:
    """A descriptor of a nameless file with these pieces of another's text; raises `LiveRLError` (log.too_large)."""
    with tempfile.TemporaryFile(prefix="liverl-log-") as stream:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > MOST_UNPACKED_BYTES:
                raise LiveRLError(
                    "log.too_large",
                    f"{path} is packed and holds more than {MOST_UNPACKED_BYTES >> 30} GiB.",
                    next_action="unpack it, and diagnose the unpacked file",
                )
            stream.write(piece)
        stream.flush()
        return os.dup(stream.fileno())


def unreadable(path: Path, error: Exception) -> RunError:
    """The error of a file that its disk does not give."""
    return RunError(
        "log.unreadable",
        f"{path} can't be read.",
        evidence=str(error),
        next_action="look at the disk that it is on (dmesg), or copy the file elsewhere",
    )
