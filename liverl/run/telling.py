"""Puts on record what the stop ladder does, as far as that can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from liverl.record.runfile import ProcessRef
from liverl.run.journal import Journal
from liverl.run.ladder import CHECKPOINT_LIMIT_S, Wish
from liverl.run.writes import Writes

_NAMED = 8


class Tell(Protocol):
    """Appends an event of the attempt."""

    def __call__(self, kind: str, **fields: Any) -> None: ...


class StopTeller:
    """The state is stopping from the first word on; its reason says what is waited for."""

    def __init__(self, name: str, wish: Wish, journal: Journal, writes: Writes, tell: Tell) -> None:
        self._name = name
        self._wish = wish
        self._journal = journal
        self._writes = writes
        self._tell = tell

    @property
    def reason(self) -> str:
        """Why the attempt ends."""
        return f"asked to ({self._wish.reason})"

    def begins(self) -> None:
        """The ladder begins."""
        self._writes.attempt(lambda: self._journal.set_stopping(self.reason))

    def waits(self, step: int) -> None:
        """The ladder waits for a checkpoint."""
        limit = f"at most {CHECKPOINT_LIMIT_S:.0f} s"
        message = f"waits for the checkpoint of step {step}, which is being written, {limit}"
        self._put(message, lambda: self._tell("stopping", message=message, step=step))

    def names(self, left: list[ProcessRef]) -> None:
        """The ladder has come to processes that do not end."""
        told = ", ".join(f"{process.name} (pid {process.pid})" for process in left[:_NAMED])
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        message = f"not ended by SIGINT and SIGTERM: {told}{more}"
        fields = {
            "message": message,
            "processes": [{"name": process.name, "pid": process.pid} for process in left[:_NAMED]],
            "left": len(left),
            "next": f"liverl stop {self._name} --kill",
        }
        self._put(message, lambda: self._tell("stopping", **fields))

    def _put(self, message: str, tell: Callable[[], None]) -> None:
        self._writes.attempt(lambda: self._journal.set_stopping(f"{self.reason}; {message}"))
        self._writes.attempt(tell)
