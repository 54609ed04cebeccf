"""One line whenever a run's state or its findings change, for a terminal, the plugin's monitor and a webhook.

changes        what is worth a line between two looks at a run's status
what_to_watch  the run or the file that somebody names
watch_news     what happens to one run until it has ended, to every run of a place for ever, or to a file

Findings are looked for when a step was made or the state changed, and once a minute; a guard of the run's config.yaml
(`logging.stop_on`) then asks the run to stop.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from liverl.errors import LiveRLError, RunError
from liverl.operate.answer import cut
from liverl.operate.find import Place, find_run, list_runs
from liverl.operate.news import News, of_finding, of_state, of_trouble
from liverl.operate.standing import Status
from liverl.operate.status import Observer
from liverl.record.asks import is_unanswered
from liverl.record.layout import RunDir
from liverl.run.liveness import read_liveness

if TYPE_CHECKING:
    from liverl.operate.diagnose import Doctor
    from liverl.operate.diagnosed import Diagnosed

_REASON_CHARS = 200
# Of a place's runs only the newest can be new; the others were there before anybody watched.
_NEWEST_RUNS = 20
_MILESTONES = 10
_LOOK_S = 60.0


def changes(before: Status | None, now: Status) -> list[str]:
    """What has happened between two looks, a line each; of the first look what it found."""
    said = [_state(before, now)]
    if before is not None:
        said += [_milestone(before, now), _validation(before, now), _checkpoint(before, now)]
        if not now.is_live:  # the end comes last
            said = [*said[1:], said[0]]
    return [text for text in said if text]


def what_to_watch(name: str, place: Place) -> RunDir | Path:
    """The run of a name, else the file of that path; raises `RunError` where there is neither."""
    try:
        return find_run(name, place)
    except RunError:
        path = Path(name).expanduser()
        if not os.path.isfile(path):  # noqa: PTH113, which says no where pathlib raises
            raise
        return path


def watch_news(where: RunDir | Place | Path, interval_s: float = 2.0) -> Iterator[News]:
    """News as they happen. A run's end with it; a file's and a place's, also while it has no run, go on for ever."""
    if isinstance(where, Path):
        from liverl.operate.watch_file import file_news

        yield from file_news(where, interval_s)
        return
    if isinstance(where, RunDir):
        yield from _of_run(where, interval_s)
        return
    watched: dict[RunDir, _Watched] = {}
    is_first = True
    while True:
        for run in _runs(where):
            if run not in watched:
                # Runs that were over before the watch began are no news.
                watched[run] = _Watched(run, is_silent=is_first)
        for each in watched.values():
            yield from each.look()
        is_first = False
        time.sleep(interval_s)


class _Watched:
    """A run that is looked at again and again."""

    def __init__(self, run: RunDir, is_silent: bool = False) -> None:
        self._run = run
        self._is_silent = is_silent
        self._observer: Observer | None = None
        self._last: Status | None = None
        self._error = ""
        self._ward = _Ward(run)

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, as far as anybody here can know."""
        return self._last is not None and not self._last.is_live and self._last.state != "unreachable"

    def look(self) -> list[News]:
        """What has happened since the last look."""
        try:
            if not self._run.root.exists() or self._is_still_over():
                return []
            self._observer = self._observer or Observer(self._run)
            now = self._observer.read()
        except (LiveRLError, OSError) as error:
            is_new = str(error) != self._error
            self._error = str(error)
            text = f"can't be read: {cut(str(error), _REASON_CHARS)}"
            return [of_trouble(self._run.name, text)] if is_new else []
        before, self._last, self._error = self._last, now, ""
        said = [of_state(now, text) for text in changes(before, now)]
        if now.is_live or before is not None or not self._is_silent:
            said += self._ward.look(before, now)
        if self.is_over:
            self._observer = None  # and all it keeps; a resumed run is read anew
        if self._is_silent and before is None and not now.is_live:
            return []
        return said

    def _is_still_over(self) -> bool:
        if self._last is None or not self.is_over:
            return False
        state = read_liveness(self._run)
        return (
            not state.is_live and state.record is not None and state.record.last.number == self._last.attempt
        )


class _Ward:
    """The findings of a run that is watched."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._doctor: Doctor | None = None
        self._last: Diagnosed | None = None
        self._looked_s = 0.0
        self._error = ""
        self._stopped = 0

    def look(self, before: Status | None, now: Status) -> list[News]:
        """What is new among the findings, where there may be something new."""
        moved = before is None or (before.step, before.state, before.attempt) != (
            now.step,
            now.state,
            now.attempt,
        )
        if not moved and time.monotonic() - self._looked_s < _LOOK_S:
            return []
        self._looked_s = time.monotonic()
        try:
            return self._news(now)
        except (LiveRLError, OSError, ImportError) as error:
            is_new = str(error) != self._error
            self._error = str(error)
            text = f"can't be diagnosed: {cut(str(error), _REASON_CHARS)}"
            return [of_trouble(now.name, text)] if is_new else []

    def _news(self, now: Status) -> list[News]:
        from liverl.operate.diagnose import Doctor
        from liverl.operate.findings_seen import news

        if self._doctor is None:
            self._doctor = Doctor(self._run)
        found = self._doctor.look(with_stacks=False)
        known = self._last.diagnosis.findings if self._last else ()
        seen = news(known, found.diagnosis.findings, is_first=self._last is None)
        said = [of_finding(now.name, each) for each in seen]
        self._last = found
        if not now.is_live:
            self._doctor = None  # and all it keeps
            return said
        if now.attempt != self._stopped and now.state != "stopping" and not is_unanswered(self._run):
            said += [of_trouble(now.name, text, "guard") for text in self._guarded(found, now.attempt)]
        return said

    def _guarded(self, found: Diagnosed, attempt: int) -> list[str]:
        """Ask the run to stop where a guard is due, once an attempt."""
        from liverl.operate.guarding import due, guards_of, stop_for

        if (cause := due(found.diagnosis.findings, guards_of(self._run))) is None:
            return []
        try:
            said = stop_for(self._run, cause)
        except OSError as error:
            told = f"could not be asked to stop (guard: {cause.id}): {cut(str(error), _REASON_CHARS)}"
            is_new, self._error = told != self._error, told
            return [told] if is_new else []
        self._stopped = attempt
        return [said]


def _of_run(run: RunDir, interval_s: float) -> Iterator[News]:
    watched = _Watched(run)
    while True:
        yield from watched.look()
        if watched.is_over or not run.root.exists():
            return
        time.sleep(interval_s)


def _runs(place: Place) -> list[RunDir]:
    try:
        return list_runs(place)[:_NEWEST_RUNS]
    except OSError:  # a disk that is away for a moment
        return []


def _state(before: Status | None, now: Status) -> str:
    is_new = before is None or before.attempt != now.attempt
    if not is_new and before is not None and before.state == now.state:
        return ""
    step = f"step {now.step} of {now.steps_total}"
    why = f": {cut(now.reason, _REASON_CHARS)}" if now.reason else ""
    if now.state == "finished":
        return f"finished: {step}{_reward(now)}{_validated(now)}"
    if now.state in ("stopped", "failed", "dead", "unreachable", "stalled"):
        return f"{now.state}{why}; next: {now.next_action}"
    if now.state == "stopping":
        return f"stopping{why}"
    if is_new and now.state == "starting":
        return "started" if now.attempt < 2 else f"resumed: attempt {now.attempt}, from {step}"
    if before is None or is_new:
        return f"is {now.state}: {step}{_reward(now)}"
    if before.state == "starting":
        return f"ready: it is {now.state}"
    return f"goes on: it is {now.state}, {step}" if before.state in ("stalled", "unreachable") else ""


def _milestone(before: Status, now: Status) -> str:
    if now.steps_total <= 0 or _tenth(now) <= _tenth(before) or before.attempt != now.attempt:
        return ""
    left = f", {_duration(now.eta_s)} left" if now.is_live and now.eta_s is not None else ""
    return f"step {now.step} of {now.steps_total} ({10 * _tenth(now)} %){_reward(now)}{left}"


def _validation(before: Status, now: Status) -> str:
    new, old = now.validation, before.validation
    if new.last is None or (new.last_step, new.last) == (old.last_step, old.last):
        return ""
    first = f" (first {new.first:.2f})" if new.first is not None and new.first_step != new.last_step else ""
    of = f" of {new.trials} trials" if new.trials else ""
    return f"validation at step {new.last_step}: {new.last:.2f}{of}{first}"


def _checkpoint(before: Status, now: Status) -> str:
    is_new = now.checkpoint is not None and now.checkpoint != before.checkpoint
    return f"checkpoint of step {now.checkpoint} is saved" if is_new else ""


def _validated(now: Status) -> str:
    found = now.validation
    return (
        f", validation {found.first:.2f} → {found.last:.2f}"
        if found.first is not None and found.last is not None
        else ""
    )


def _reward(now: Status) -> str:
    return f", reward {now.reward:.2f}" if now.reward is not None else ""


def _tenth(now: Status) -> int:
    return min(_MILESTONES, _MILESTONES * now.step // now.steps_total) if now.steps_total > 0 else 0


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
