"""Writes that a full disk may refuse: said once, tried again; a training that goes on must not end for them."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable

# Room on a full disk often comes back with the end of the processes that filled it.
_LIMIT_S = 5.0
_POLL_S = 0.25


class Writes:
    """The supervisor's patience; `refused` is what the last refusal said, "" when there was none."""

    def __init__(self) -> None:
        self.refused = ""
        self._unsaid = ""

    def note(self, error: OSError) -> None:
        """Something could not be written."""
        if str(error) != self.refused:
            self.refused = self._unsaid = str(error)

    def say(self) -> None:
        """Put a new refusal into the log, as soon as that can be written."""
        if not self._unsaid:
            return
        text = f"the run directory can't be written, tried again: {self._unsaid}\n"
        with contextlib.suppress(OSError):  # the log may lie on the same full disk
            os.write(sys.stderr.fileno(), text.encode())  # no buffer that would keep it for a second time
            self._unsaid = ""

    def attempt(self, write: Callable[[], object]) -> None:
        """Write once; a refusal is noted."""
        try:
            write()
        except OSError as error:
            self.note(error)

    def insist(self, write: Callable[[], object]) -> None:
        """Write, again and again for five seconds where that is refused; then raises `OSError`."""
        deadline = time.monotonic() + _LIMIT_S
        while True:
            try:
                write()
                return
            except OSError as error:
                if time.monotonic() >= deadline:
                    raise
                self.note(error)
            time.sleep(_POLL_S)
