"""run.json and heartbeat, as the supervisor of one attempt keeps them."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

from liverl.errors import RunError
from liverl.record.clock import utc_now
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan
from liverl.record.runfile import Attempt, ProcessRef, RunRecord, read_run, write_run
from liverl.run.processes import boot_id, pid_namespace

HEARTBEAT_S = 5.0


class Journal:
    """The one writer of run.json; every change is on disk when a method returns."""

    def __init__(self, run: RunDir, plan: AttemptPlan) -> None:
        self._run = run
        self._beat_at = 0.0
        now = utc_now()
        self.attempt = Attempt(plan.attempt, now, socket.gethostname(), boot_id(), pid_namespace())
        self._record = self._earlier(now, plan)
        write_run(run, self._record)

    def add(self, process: ProcessRef) -> None:
        """Record a process that was started."""
        self._change(replace(self.attempt, processes=(*self.attempt.processes, process)))

    def set_running(self) -> None:
        """The trainer has become ready; nothing when that was known."""
        if self.attempt.state == "starting":
            self._change(replace(self.attempt, state="running"))

    def set_stopping(self, reason: str) -> None:
        """The attempt is being ended, and why; its processes may still live for a while."""
        if (self.attempt.state, self.attempt.reason) != ("stopping", reason):
            self._change(replace(self.attempt, state="stopping", reason=reason))

    def closed(self, state: str, reason: str, exit_status: int | None) -> Attempt:
        """The attempt as it will stand on record once it is closed."""
        return replace(self.attempt, state=state, reason=reason, exit_status=exit_status, ended=utc_now())

    def close(self, closed: Attempt) -> None:
        """Record the end of the attempt."""
        self._change(closed)

    def beat(self) -> None:
        """Touch the heartbeat when five seconds have passed."""
        if time.monotonic() - self._beat_at >= HEARTBEAT_S:
            self._run.heartbeat.touch()
            self._beat_at = time.monotonic()

    def _earlier(self, now: str, plan: AttemptPlan) -> RunRecord:
        try:
            record = read_run(self._run)
        except RunError:
            return RunRecord(
                plan.name, now, plan.steps, dict(plan.ports), (self.attempt,), str(self._run.root)
            )
        record = replace(record, steps=plan.steps, ports=dict(plan.ports), root=str(self._run.root))
        if record.last.is_open:
            reason = "its supervisor was killed"
            append_event(self._run, "died", attempt=record.last.number, process="supervisor", reason=reason)
            record = record.with_attempt(replace(record.last, state="failed", reason=reason, ended=now))
        return record.with_attempt(self.attempt)

    def _change(self, attempt: Attempt) -> None:
        record = self._record.with_attempt(attempt)
        # Where this raises, nothing has changed and the change can be tried again.
        write_run(self._run, record)
        self.attempt, self._record = attempt, record
