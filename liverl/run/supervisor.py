"""One small process an attempt: starts the door and the trainer, watches, records and cleans up.

`python -m liverl.run.supervisor RUN_DIR [--attempt N]`. The only writer of run.json, events.jsonl,
metrics.jsonl and heartbeat. Standard library, `liverl.record` and `liverl.errors` only: it must outlive what
breaks around it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from liverl.record.clock import utc_now
from liverl.record.events import Event, append_event, ingest_event
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan
from liverl.record.runfile import Attempt, ProcessRef
from liverl.record.tail import cause_line, last_words
from liverl.run.archives import archive_ended
from liverl.run.bootwatch import BootWatch
from liverl.run.children import Child, Children
from liverl.run.ending import end_descendants
from liverl.run.ends import End, describe_exit
from liverl.run.environment import FIXED
from liverl.run.guard import split_off
from liverl.run.ingest import Ingest
from liverl.run.journal import Journal
from liverl.run.ladder import Ladder, Wish
from liverl.run.processes import become_subreaper, out_of_memory_kills, reference
from liverl.run.telling import StopTeller
from liverl.run.writes import Writes

POLL_S = 0.25
_TERM_GRACE_S = 3.0
_DOOR_STARTS = 2
_EXIT_FAILED = 3
_NAMED = 8


class Supervisor:
    """One attempt, from its first process to its last."""

    def __init__(self, run: RunDir, plan: AttemptPlan, guard: int) -> None:
        self._run = run
        self._plan = plan
        self._wish = Wish(run)
        self._oom_before = out_of_memory_kills()
        self._journal = Journal(run, plan)
        self._journal.add(reference("guard", guard))
        self._journal.add(reference("supervisor", os.getpid()))
        self._boot = BootWatch(run, plan)
        self._ingest = Ingest(run, plan, self._journal.attempt.started, self._boot.see)
        self._children = Children(run.attempt_log(plan.attempt), run.data)
        self._env = self._environment()
        self._door_starts = 0
        self._writes = Writes()
        self._owed: deque[Callable[[], object]] = deque()

    def supervise(self) -> End:
        """Run the attempt to its end, whatever that is; no descendant is left when this returns."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._wish.on_signal)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            end = self._watch()
        except Exception:  # a process edge: whatever it is, processes must end and the reason be on record
            trace = traceback.format_exc()
            with contextlib.suppress(OSError):
                print(trace, file=sys.stderr, flush=True)
            end = End("failed", "the supervisor itself failed", "supervisor", lines=tuple(trace.splitlines()))
        self._finish(end)
        return end

    def _watch(self) -> End:
        self._ingest.catch_up()
        kind = "started" if self._plan.attempt == 1 else "resumed"
        self._tell(kind, steps=self._plan.steps)
        door = self._start_door() if self._plan.door else None
        trainer = self._start("trainer", self._plan.trainer)
        while True:
            self._tick()
            # A trainer that failed after somebody asked for the end was signalled by them.
            if self._wish.look() and trainer.exit_status != 0:
                return self._stop(trainer)
            if trainer.exit_status is not None:
                return self._trainer_end(trainer.exit_status)
            if reason := self._boot.overdue():
                return End("failed", reason, "boot", lines=tuple(last_words(self._log_of("boot"))))
            if door is not None and not door.runs:
                if self._door_starts >= _DOOR_STARTS:
                    return self._door_end(door)
                self._record_door_restart(door)
                door = self._start_door()
            time.sleep(POLL_S)

    def _tick(self) -> None:
        self._children.reap()
        try:
            self._journal.beat()
            self._settle()
            self._ingest.poll()
            if self._ingest.is_ready:
                self._journal.set_running()
        except OSError as error:
            if not self._run.root.is_dir():
                raise
            self._writes.note(error)
        self._writes.say()

    def _tell(self, kind: str, **fields: Any) -> None:
        event = Event(utc_now(), kind, {"attempt": self._plan.attempt, **fields})
        self._boot.see(event)
        self._record(lambda: ingest_event(self._run, event))

    def _record(self, write: Callable[[], object]) -> None:
        """Write once what was written before is; what is refused now is written by a later tick."""
        self._owed.append(write)
        self._writes.attempt(self._settle)

    def _settle(self) -> None:
        while self._owed:
            self._owed[0]()
            self._owed.popleft()

    def _start(self, name: str, command: Sequence[str]) -> Child:
        child = self._children.start(name, command, self._env, self._log_of(name))
        self._record(lambda: self._journal.add(child.ref))
        self._tell("boot", stage="environment", message=f"{name} started, pid {child.ref.pid}")
        return child

    def _start_door(self) -> Child:
        self._door_starts += 1
        return self._start("door", self._plan.door)

    def _log_of(self, process: str) -> Path:
        number = self._plan.attempt
        return (
            self._run.component_log(number, "litellm") if process == "door" else self._run.attempt_log(number)
        )

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            **FIXED,
            **self._plan.env,
            "LIVERL_RUN_DIR": str(self._run.root),
            "LIVERL_ATTEMPT": str(self._plan.attempt),
            "LIVERL_DOOR_URL": self._plan.door_url,
            "LIVERL_DOOR_KEY": secrets.token_hex(32),
            "VERL_FILE_LOGGER_PATH": str(self._run.attempt_metrics(self._plan.attempt)),
        }

    def _stop(self, trainer: Child) -> End:
        teller = StopTeller(self._plan.name, self._wish, self._journal, self._writes, self._tell)
        teller.begins()
        ladder = Ladder(self._run, self._wish, teller, self._tick)
        ladder.climb(trainer, self._plan.grace_s, self._plan.term_s)
        return End("stopped", teller.reason, "trainer", trainer.exit_status)

    def _trainer_end(self, status: int) -> End:
        if status == 0:
            return End("finished", "the trainer finished", "trainer", status)
        return self._death("trainer", status)

    def _door_end(self, door: Child) -> End:
        return self._death("door", door.exit_status or 0, " again, after one restart")

    def _death(self, process: str, status: int, more: str = "") -> End:
        # Whoever was killed from outside had no last words; the log's end would only mislead.
        was_killed = status == -signal.SIGKILL
        lines = [] if was_killed else last_words(self._log_of(process))
        reason = f"the {process} {describe_exit(status)}{more}"
        kills = out_of_memory_kills() - self._oom_before
        if kills > 0:
            reason += f"; the kernel killed {kills} process(es) for lack of memory meanwhile"
        if lines:
            reason += f": {cause_line(lines).removeprefix('EngineError: ')}"
        if self._writes.refused:
            reason += f"; meanwhile the run directory could not be written: {self._writes.refused}"
        return End("failed", reason, process, status, tuple(lines))

    def _record_door_restart(self, door: Child) -> None:
        self._tell(
            "died",
            process="door",
            reason=f"the door {describe_exit(door.exit_status or 0)}; it is started once more",
            restarted=True,
        )

    def _finish(self, end: End) -> None:
        # At once: the rest takes seconds, and whoever looks meanwhile is to see that it is over, and why.
        self._writes.attempt(lambda: self._journal.set_stopping(end.reason))
        left = end_descendants(self._quiet_tick, _TERM_GRACE_S)
        try:
            self._writes.insist(self._settle)
            self._writes.insist(self._ingest.poll)
        except Exception:  # a process edge: the end must be on record even where the last rows can't be
            with contextlib.suppress(OSError):
                traceback.print_exc()
        # Before the end is on record: whoever reads it may resume at once, into the same folder.
        if end.state != "failed":  # Ray's own logs lie there, which a failure may need
            shutil.rmtree(self._run.scratch, ignore_errors=True)
        closed = self._journal.closed(end.state, end.reason, end.exit_status)
        self._archive(closed)
        fields = self._end_fields(end, left)
        try:
            self._writes.insist(lambda: append_event(self._run, _EVENT_OF[end.state], **fields))
        finally:
            self._writes.insist(lambda: self._journal.close(closed))

    def _archive(self, closed: Attempt) -> None:
        try:
            archive_ended(self._run, closed, self._plan)
        except Exception:  # a process edge, as above; the guard tries again, then whoever launches here
            with contextlib.suppress(OSError):
                traceback.print_exc()

    def _quiet_tick(self) -> None:
        self._children.reap()
        try:
            self._journal.beat()
        except OSError:  # no space left, or the directory is gone; the descendants must still end
            return

    def _end_fields(self, end: End, left: Sequence[ProcessRef]) -> dict[str, object]:
        fields: dict[str, object] = {"attempt": self._plan.attempt, "reason": end.reason}
        if end.state == "failed":
            fields |= {"process": end.process, "exit_status": end.exit_status, "lines": list(end.lines)}
        if end.state != "finished":
            fields["next"] = f"liverl resume {self._plan.name}"
        if left:
            # Of another user, or held by the kernel: whoever reads this has to end them.
            fields["left_processes"] = len(left)
            fields["processes"] = [{"name": item.name, "pid": item.pid} for item in left[:_NAMED]]
        return fields


_EVENT_OF = {"finished": "finished", "stopped": "stopped", "failed": "died"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Supervise one attempt; returns 0 when it finished or was stopped, 3 when it failed."""
    parser = argparse.ArgumentParser(prog="python -m liverl.run.supervisor", description=__doc__)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--attempt", type=int, default=0, help="the newest planned one when not given")
    given = parser.parse_args(arguments)
    run = RunDir(given.run_dir.resolve())
    plan = read_plan(run, given.attempt or newest_attempt(run))
    guard = split_off(run, plan.attempt)
    become_subreaper()
    end = Supervisor(run, plan, guard).supervise()
    return _EXIT_FAILED if end.state == "failed" else 0


if __name__ == "__main__":
    sys.exit(main())
