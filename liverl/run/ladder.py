"""How an attempt that somebody asked to end is ended: asked, asked again, and killed only by a further word.

Wish    what was asked so far, by file or by signal
Ladder  SIGINT to the trainer, SIGTERM to all, then names who does not end; SIGKILL where that was confirmed
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from liverl.record.asks import take_stop
from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef
from liverl.run.children import Child
from liverl.run.ending import kill_descendants, wait_until
from liverl.run.processes import descendants, is_deaf_init, send, send_group
from liverl.run.saving import Saving

CHECKPOINT_LIMIT_S = 300.0
_POLL_S = 0.25


class Wish:
    """Whether the attempt is to end, why, and whether what does not end by itself may be killed."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self.reason = ""
        self.kill = False
        self._interrupts = 0
        self._is_new = False

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """A signal is a stop; a second SIGINT confirms the kill."""
        self._interrupts += number == signal.SIGINT
        self.kill |= self._interrupts > 1
        self.reason = self.reason or signal.Signals(number).name
        self._is_new = True

    def look(self) -> bool:
        """Whether anybody has asked, by signal or by file."""
        ask = take_stop(self._run)
        if ask is not None:
            self.reason = self.reason or ask.reason
            self.kill |= ask.kill
            self._is_new = True
        return bool(self.reason)

    def take_new(self) -> bool:
        """Whether somebody has asked since this was last called."""
        self.look()
        was_new, self._is_new = self._is_new, False
        return was_new


class Teller(Protocol):
    """Puts on record what the ladder does."""

    def waits(self, step: int) -> None:
        """It waits for the checkpoint of a step."""

    def names(self, left: list[ProcessRef]) -> None:
        """These processes did not end, and are not killed."""


class Ladder:
    """The rungs, in order; `tick` reaps and records meanwhile."""

    def __init__(self, run: RunDir, wish: Wish, teller: Teller, tick: Callable[[], None]) -> None:
        self._run = run
        self._wish = wish
        self._teller = teller
        self._tick = tick

    def climb(self, trainer: Child, grace_s: float, term_s: float) -> None:
        """End the trainer and everything below this process; returns when all is gone, or was killed."""
        self._let_it_save(trainer)
        send_group(trainer.ref, signal.SIGINT)
        wait_until(lambda: not trainer.runs, grace_s, self._tick)
        if not wait_until(_Termination(), term_s, self._tick):
            self._wait_for_word()

    def _let_it_save(self, trainer: Child) -> None:
        saving = Saving(self._run.checkpoints)
        if (step := saving.step()) is None or not trainer.runs:
            return
        self._teller.waits(step)
        wait_until(lambda: not trainer.runs or saving.step() is None, CHECKPOINT_LIMIT_S, self._tick, _POLL_S)

    def _wait_for_word(self) -> None:
        named: set[int] = set()
        while left := descendants(os.getpid()):
            is_asked = self._wish.take_new()
            if self._wish.kill:
                kill_descendants(self._tick)
                return
            if is_asked or {process.pid for process in left} - named:
                self._teller.names(left)
                named = {process.pid for process in left}
            self._tick()
            time.sleep(_POLL_S)


class _Termination:
    """Asks every descendant once, those that appear later too; true when none is left.

    The orphaned first process of a sandbox can't hear SIGTERM: nobody can end it but by SIGKILL, as the death of its
    maker should have.
    """

    def __init__(self) -> None:
        self._asked: set[ProcessRef] = set()

    def __call__(self) -> bool:
        living = descendants(os.getpid())
        for process in living:
            if process not in self._asked:
                send(process, signal.SIGTERM)
                self._asked.add(process)
            elif is_deaf_init(process):
                send(process, signal.SIGKILL)
        return not living
