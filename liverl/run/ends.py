"""How an attempt ended, in words and as an exit code."""

from __future__ import annotations

import signal
from dataclasses import dataclass

_FAILED = 3
_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM


@dataclass(frozen=True)
class End:
    """How an attempt ended; `process` is the one that brought it about, `lines` are its last words."""

    state: str
    reason: str
    process: str = ""
    exit_status: int | None = None
    lines: tuple[str, ...] = ()


def describe_exit(status: int) -> str:
    """An exit status in words, a negative one being a signal."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was killed by {name}"


def exit_code(state: str, reason: str, exit_status: int | None) -> int:
    """The attempt's exit code, as a shell would say it.

    0 finished, 130 stopped, 143 stopped by SIGTERM, else that of the process that failed, or 3 where that one has none.
    """
    if state == "finished":
        return 0
    if state == "stopped":
        return _TERMINATED if reason.endswith(f"({signal.SIGTERM.name})") else _INTERRUPTED
    if not exit_status:
        return _FAILED
    return exit_status if exit_status > 0 else 128 - exit_status
