"""News of a file that some program writes: what a diagnosis of it says first, and whenever that changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from liverl.errors import LiveRLError
from liverl.operate.answer import cut
from liverl.operate.diagnose import FileDoctor
from liverl.operate.diagnosed import Diagnosed
from liverl.operate.findings_seen import news
from liverl.operate.news import News, of_finding, of_trouble, of_verdict

_REASON_CHARS = 200
# What a silent file tells changes with the time: it is looked at again.
_LOOK_S = 60.0


def file_news(path: Path, interval_s: float = 2.0) -> Iterator[News]:
    """News for ever, each look reading only what is new; a file that is away for a while is waited for."""
    watched = _WatchedFile(path)
    while True:
        yield from watched.look()
        time.sleep(interval_s)


class _WatchedFile:
    """A file that is looked at whenever it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._doctor = FileDoctor(path)
        self._last: Diagnosed | None = None
        self._state: tuple[int, ...] = ()
        self._looked_s = float("-inf")
        self._error = ""

    def look(self) -> list[News]:
        """What has changed since the last look."""
        try:
            found = self._path.stat()
            state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
            if state == self._state and time.monotonic() - self._looked_s < _LOOK_S:
                return []
            now = self._doctor.look()
        except (LiveRLError, OSError) as error:
            is_new, self._error = str(error) != self._error, str(error)
            return [self._trouble(f"can't be read: {cut(str(error), _REASON_CHARS)}")] if is_new else []
        self._state, self._looked_s, self._error = state, time.monotonic(), ""
        before, self._last = self._last, now
        known = before.diagnosis.findings if before else ()
        seen = news(known, now.diagnosis.findings, is_first=before is None)
        said = [of_finding(self._path.name, each) for each in seen]
        is_other = before is None or before.diagnosis.verdict != now.diagnosis.verdict
        # Of a sick one its findings are the news.
        if is_other and now.diagnosis.verdict != "sick":
            said.append(of_verdict(self._path.name, now))
        return said

    def _trouble(self, text: str) -> News:
        return of_trouble(self._path.name, text)
