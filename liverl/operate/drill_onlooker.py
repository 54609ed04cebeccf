"""How soon a failure that was made on purpose is diagnosed, while its run goes on."""

from __future__ import annotations

import time

from liverl.operate.diagnose import Doctor
from liverl.operate.drill_acts import last_step
from liverl.record.layout import RunDir


class Onlooker:
    """Diagnoses a run after each of its steps, as `liverl watch` does, and remembers since when it says the cause."""

    def __init__(self, run: RunDir, expects: tuple[str, ...]) -> None:
        self._run, self._expects = run, expects
        self._doctor = Doctor(run)
        self._seen = 0
        self.since: tuple[float, int] | None = None

    def look(self) -> None:
        """Diagnose the run if it has made a step since the last look."""
        step = last_step(self._run)
        if step == self._seen:
            return
        self._seen = step
        primary = self._doctor.look(with_stacks=False).diagnosis.primary
        if primary is None or primary.id not in self._expects:
            self.since = None
        elif self.since is None:
            self.since = (time.time(), step)
