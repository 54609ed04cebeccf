"""Ends a run cleanly, and looks whether nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from liverl.record.layout import RunDir
from liverl.run import stop as run_stop
from liverl.run.resume import resume_step

_SHOWN = 8


@dataclass(frozen=True)
class Stopped:
    """How far a stop has come.

    `verified` says what was looked for and is gone, `remains` what isn't; `left` are processes (name, pid) that live.
    """

    name: str
    state: str
    reason: str
    checkpoint_step: int
    is_over: bool = True
    verified: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    left: tuple[tuple[str, int], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the run has ended and nothing of it is left."""
        return self.is_over

    @property
    def summary(self) -> str:
        """The state, and who does not end."""
        if self.left:
            named = ", ".join(f"{name} (pid {pid})" for name, pid in self.left[:_SHOWN])
            return f"{self.name} is {self.state}: {len(self.left)} processes have not ended: {named}"
        if not self.is_over:
            return f"{self.name} is {self.state}: {'; '.join(self.remains) or self.reason}"
        return f"{self.name} is {self.state}: {self.reason}"

    @property
    def next_action(self) -> str:
        """How to go on with it, or how to end it after all."""
        if self.left or self.state == "stopping":
            return f"liverl stop {self.name} --kill"
        return f"liverl resume {self.name}" if self.is_over else f"liverl clean {self.name}"

    def lines(self) -> list[str]:
        """The state, and what was verified or remains."""
        gone = [f"  gone: {item}" for item in self.verified]
        living = [f"  lives: {name} (pid {pid})" for name, pid in self.left[:_SHOWN]]
        return [self.summary, *gone, *(f"  remains: {item}" for item in self.remains), *living]

    def payload(self) -> dict[str, Any]:
        """What was verified, what is left, and the checkpoint that it can go on from."""
        return {
            "run": self.name,
            "state": self.state,
            "reason": self.reason,
            "checkpoint_step": self.checkpoint_step,
            "verified": list(self.verified),
            "remains": list(self.remains),
            "left": ([{"name": name, "pid": pid} for name, pid in self.left[:_SHOWN]]) or None,
        }


def refuse_over(run: RunDir) -> None:
    """Raise `RunError` where nothing of a run lives: before anybody is asked."""
    run_stop.require_live(run)


def stop(
    run: RunDir,
    reason: str = "asked for",
    *,
    kill: bool = False,
    tick: Callable[[], None] | None = None,
    limit_s: float = run_stop.STOP_LIMIT_S,
) -> Stopped:
    """Stop a live run; raises `RunError` when it isn't live.

    Without `kill` nothing is killed: what does not end on SIGINT and SIGTERM is named, and a second stop with `kill`
    ends it. Waits for `limit_s` seconds, beyond the time that a checkpoint is being written.
    """
    ending = run_stop.stop(run, reason, kill, limit_s, tick)
    return Stopped(
        name=run.name,
        state=ending.state,
        reason=ending.reason,
        checkpoint_step=resume_step(run),
        is_over=ending.is_over,
        verified=ending.verified,
        remains=ending.remains,
        left=tuple((process.name, process.pid) for process in ending.left),
    )
