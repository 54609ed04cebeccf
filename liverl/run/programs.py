"""Runs somebody else's program, such as nvidia-smi or kubectl, which may hang for ever."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from liverl.record.masking import mask
from liverl.run.processes import dying_with

# A process that waits for a driver or a mount can't be killed; it is left alone after this.
_GRACE_S = 0.5


@dataclass(frozen=True)
class Said:
    """What a program printed; `status` is None where it had not ended in time."""

    status: int | None
    out: str = ""
    err: str = ""

    @property
    def worked(self) -> bool:
        """Whether it ended well."""
        return self.status == 0

    @property
    def last_words(self) -> str:
        """The last line of its complaint, or of what it printed."""
        return self._lines()[-1]

    @property
    def first_words(self) -> str:
        """The first line of its complaint, or of what it printed."""
        return self._lines()[0]

    def _lines(self) -> list[str]:
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return [mask(line.strip())[:300] for line in lines] or [""]


def ask_program(command: Sequence[str], limit_s: float, env: Mapping[str, str] | None = None) -> Said:
    """Run a command; it and all that it started are ended after `limit_s`.

    Raises `OSError` where it can't be started. Takes at most half a second more than `limit_s`, even where the
    program can't be killed because the kernel holds it.
    """
    program = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=None if env is None else dict(env),
        errors="replace",
        start_new_session=True,
        preexec_fn=dying_with(os.getpid()),
    )
    try:
        out, err = program.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _end(program)
        return Said(None)
    return Said(program.returncode, out, err)


def _end(program: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.communicate(timeout=_GRACE_S)
