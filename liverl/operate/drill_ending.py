"""A drill that is told to end first ends what it has started.

ended_by_signals   SIGTERM and SIGHUP interrupt, as Ctrl-C does, and only the first of them
undisturbed        what must not be cut in half: such a signal is heard afterwards
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

_TOLD = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise `KeyboardInterrupt` on the first SIGTERM, SIGHUP or SIGINT; one that was to be ignored (`nohup`) stays so.

    A second one, right behind it, must not interrupt the way to the ending.
    """
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1:
            raise KeyboardInterrupt(signal.Signals(number).name)

    with _handled((*_TOLD, signal.SIGINT), interrupt):
        yield


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Hold SIGTERM, SIGHUP and SIGINT back; raise `KeyboardInterrupt` at the end where one came."""
    came: list[int] = []
    with _handled((*_TOLD, signal.SIGINT), lambda number, frame: came.append(number)):
        yield
    if came:
        raise KeyboardInterrupt(signal.Signals(came[0]).name)


@contextlib.contextmanager
def _handled(numbers: Sequence[int], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield
        return
    before = {number: signal.getsignal(number) for number in numbers}
    # None is a handler that somebody set outside of Python.
    ours = [number for number, found in before.items() if found not in (signal.SIG_IGN, None)]
    try:
        for number in ours:
            signal.signal(number, handler)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
