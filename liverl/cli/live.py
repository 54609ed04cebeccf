"""A run as it goes on: a line for everything that happened, and on a terminal two bars below."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, TextIO

from liverl.cli.text import duration, number
from liverl.operate.standing import Status

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def news(before: Status | None, now: Status) -> list[str]:
    """What has happened between two looks, a line each."""
    lines = _boot(before, now) + _steps(before, now)
    known = None if before is None else before.validation.last_step
    found = now.validation
    if found.last_step is not None and found.last_step != known:
        first = "" if found.first_step == found.last_step else f"  (first {number(found.first)})"
        lines.append(
            f"validation at step {found.last_step}: {number(found.last)} of {found.trials} trials{first}"
        )
    return lines


def _boot(before: Status | None, now: Status) -> list[str]:
    event = now.last_event
    if now.step > 0 or event is None or (before is not None and event == before.last_event):
        return []
    said = event.get("message") or event.get("stage") or ""
    return (
        [f"{event['kind']}: {said}" if said else str(event["kind"])]
        if event["kind"] in ("boot", "ready")
        else []
    )


def _steps(before: Status | None, now: Status) -> list[str]:
    # The first look at a resumed run shows what earlier attempts did; that was said when it happened.
    seen = dict(now.rewards if before is None and now.attempt > 1 else before.rewards if before else ())
    # A status holds the newest steps only: what is older than those that were seen is not new.
    oldest = min(seen, default=0)
    fresh = [item for item in now.rewards if item[0] >= oldest and seen.get(item[0]) != item[1]]
    left = f"  {duration(now.eta_s)} left" if now.eta_s is not None and now.is_live else ""
    return [
        f"step {step:>{len(str(now.steps_total))}}/{now.steps_total}  reward {number(reward)}"
        + (left if step == fresh[-1][0] else "")
        for step, reward in fresh
    ]


class _Bars:
    """Two bars: the run's steps, and the trials of what it does now."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._steps: TaskID = progress.add_task("step", total=None, note="")
        self._trials: TaskID = progress.add_task("trials", total=None, note="")

    def show(self, now: Status) -> None:
        left = f"reward {number(now.reward)}   time left: {duration(now.eta_s)}"
        self._progress.update(self._steps, completed=now.step, total=now.steps_total or None, note=left)
        self._progress.update(
            self._trials,
            completed=now.trials_done,
            total=now.trials_total or None,
            note=now.phase or now.state,
        )


def follow(statuses: Iterable[Status], stream: TextIO) -> Status:
    """Print a run's statuses to a stream until they end; returns the last one."""
    last: Status | None = None
    progress = _progress(stream) if stream.isatty() else None
    shown: AbstractContextManager[object] = progress if progress is not None else nullcontext()
    say = partial(print, file=stream, flush=True) if progress is None else _above(progress)
    with shown:
        bars = _Bars(progress) if progress is not None else None
        for now in statuses:
            for line in news(last, now):
                say(line)
            if bars is not None:
                bars.show(now)
            last = now
    assert last is not None, "a watched run has at least one status"
    return last


def _above(progress: Progress) -> Callable[[str], None]:
    # rich takes square brackets for markup; a line of ours is text.
    return lambda line: progress.console.print(line, markup=False, highlight=False)


def _progress(stream: TextIO) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description:<7}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(file=stream),
        transient=True,
        refresh_per_second=4,
    )
