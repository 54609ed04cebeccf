"""Which of the exceptions in a log may have ended its run: one of whose kind the run has survived others did not.

unsurvived  the lines without late ones of a kind that was survived
burst       the first of those that an ending program repeats, word by word
is_worker   whether an actor does not drive the run
kind_of     what lines of one kind have in common
summed_up   what Ray sums up behind its driver's own exception
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from liverl.log.seen import Met

# A line after which the log tells so many steps did not end the run.
SURVIVED_STEPS = 2
# So often somebody says a thing who fails by it again and again.
_REPEATED = 3
_KIND_CHARS = 48
# What so many processes or calls failed by is no accident of one that ends.
_SUMMED_UP = 10
# When the driver ends, whoever still talks to another process fails by that.
_PARTED = re.compile(
    r"Connect|Disconnect|Closed|Cancel|Timeout|EOF|Pipe|Died|Unavailable|Rendezvous|Aborted|Interrupt"
)
# The Ray actors in which a training's own loop runs, and Ray's daemons.
_DRIVER = re.compile(r"(?i)task_?runner|main|driver|trainer|raylet|autoscaler|gcs")
_NUMBERS = re.compile(r"\d+")


def unsurvived(lines: Sequence[Met], is_late: Callable[[Met], bool]) -> list[Met]:
    """The lines without the late ones of whose kind the run survived earlier ones; all, where no other is late."""
    survived = {kind_of(each.text) for each in lines if not is_late(each)}
    kept = [each for each in lines if not is_late(each) or kind_of(each.text) not in survived]
    return kept if any(is_late(each) for each in kept) else list(lines)


def burst(late: Sequence[Met]) -> Met | None:
    """The first line that is said again and again: a server's own error, before the one who asks it gives up."""
    said: Counter[str] = Counter()
    for each in late:
        said[each.text] += each.times
    return next((each for each in late if said[each.text] >= _REPEATED), None)


def summed_up(lines: Sequence[Met]) -> Met | None:
    """A process's exception that Ray says as `[repeated Nx]` behind the driver's own: it came before that."""
    if not lines or lines[0].actor or lines[0].times > 1:
        return None
    return next(
        (each for each in lines if each.actor and each.times >= _SUMMED_UP and not _PARTED.search(each.text)),
        None,
    )


def is_worker(actor: str) -> bool:
    """Whether a run may go on after what a Ray actor raises: one that does not drive it."""
    return bool(actor) and not _DRIVER.search(actor)


def kind_of(text: str) -> str:
    """What an exception says, without its numbers, as far as its first words."""
    return _NUMBERS.sub("#", text.strip())[:_KIND_CHARS]
