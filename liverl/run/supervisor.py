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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from liverl.record.asks import take_stop
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan
from liverl.record.tail import cause_line, last_words
from liverl.run.children import Child, Children
from liverl.run.ending import end_descendants, wait_until
from liverl.run.environment import FIXED
from liverl.run.guard import split_off
from liverl.run.ingest import Ingest
from liverl.run.journal import Journal
from liverl.run.processes import become_subreaper, out_of_memory_kills, reference, send

POLL_S = 0.25
_TERM_GRACE_S = 3.0
_DOOR_STARTS = 2
_EXIT_FAILED = 3
# Room on a full disk often comes back with the end of the processes that filled it.
_WRITE_LIMIT_S = 5.0


@dataclass(frozen=True)
class End:
    """How an attempt ended; `process` is the one that brought it about."""

    state: str
    reason: str
    process: str = ""
    exit_status: int | None = None
    lines: tuple[str, ...] = ()


class Supervisor:
    """One attempt, from its first process to its last."""

    def __init__(self, run: RunDir, plan: AttemptPlan, guard: int) -> None:
        self._run = run
        self._plan = plan
        self._stop_reason = ""
        self._oom_before = out_of_memory_kills()
        self._journal = Journal(run, plan)
        self._journal.add(reference("guard", guard))
        self._journal.add(reference("supervisor", os.getpid()))
        self._ingest = Ingest(run, plan, self._journal.attempt.started)
        self._children = Children(run.attempt_log(plan.attempt), run.data)
        self._env = self._environment()
        self._door_starts = 0
        self._unwritable = self._unsaid = ""

    def supervise(self) -> End:
        """Run the attempt to its end, whatever that is; no descendant is left when this returns."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
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
        append_event(self._run, kind, attempt=self._plan.attempt, steps=self._plan.steps)
        door = self._start_door() if self._plan.door else None
        trainer = self._start("trainer", self._plan.trainer)
        while True:
            self._tick()
            if trainer.exit_status is not None:
                return self._trainer_end(trainer.exit_status)
            if self._stop_asked():
                return self._interrupt(trainer)
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
            self._ingest.poll()
            if self._ingest.is_ready:
                self._journal.set_running()
        except OSError as error:
            if not self._run.root.is_dir():
                raise
            self._note(error)
        if self._unsaid:
            self._say()

    def _note(self, error: OSError) -> None:
        """Something could not be written: said once, and tried again; a training that goes on must not end for it."""
        if str(error) != self._unwritable:
            self._unwritable = self._unsaid = str(error)

    def _say(self) -> None:
        text = f"the run directory can't be written, tried again: {self._unsaid}\n"
        with contextlib.suppress(OSError):  # the log may lie on the same full disk
            os.write(sys.stderr.fileno(), text.encode())  # no buffer that would keep it for a second time
            self._unsaid = ""

    def _insist(self, write: Callable[[], object]) -> None:
        """Write, again and again for some seconds where that fails."""
        deadline = time.monotonic() + _WRITE_LIMIT_S
        while True:
            try:
                write()
                return
            except OSError as error:
                if time.monotonic() >= deadline:
                    raise
                self._note(error)
            time.sleep(POLL_S)

    def _start(self, name: str, command: Sequence[str]) -> Child:
        child = self._children.start(name, command, self._env)
        self._journal.add(child.ref)
        append_event(
            self._run, "boot", attempt=self._plan.attempt, message=f"{name} started, pid {child.ref.pid}"
        )
        return child

    def _start_door(self) -> Child:
        self._door_starts += 1
        return self._start("door", self._plan.door)

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

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._stop_reason = signal.Signals(number).name

    def _stop_asked(self) -> bool:
        ask = take_stop(self._run)
        if ask is not None:
            self._stop_reason = ask.reason
        return bool(self._stop_reason)

    def _interrupt(self, trainer: Child) -> End:
        send(trainer.ref, signal.SIGINT)
        wait_until(lambda: not trainer.runs, self._plan.grace_s, self._tick)
        return End("stopped", f"asked to ({self._stop_reason})", "trainer", trainer.exit_status)

    def _trainer_end(self, status: int) -> End:
        if status == 0:
            return End("finished", "the trainer finished", "trainer", status)
        return self._death("trainer", status)

    def _door_end(self, door: Child) -> End:
        return self._death("door", door.exit_status or 0, " again, after one restart")

    def _death(self, process: str, status: int, more: str = "") -> End:
        # Whoever was killed from outside had no last words; the log's end would only mislead.
        was_killed = status == -signal.SIGKILL
        lines = [] if was_killed else last_words(self._run.attempt_log(self._plan.attempt))
        reason = f"the {process} {describe_exit(status)}{more}"
        kills = out_of_memory_kills() - self._oom_before
        if kills > 0:
            reason += f"; the kernel killed {kills} process(es) for lack of memory meanwhile"
        elif lines:
            reason += f": {cause_line(lines)}"
        if self._unwritable:
            reason += f"; meanwhile the run directory could not be written: {self._unwritable}"
        return End("failed", reason, process, status, tuple(lines))

    def _record_door_restart(self, door: Child) -> None:
        append_event(
            self._run,
            "died",
            attempt=self._plan.attempt,
            process="door",
            reason=f"the door {describe_exit(door.exit_status or 0)}; it is started once more",
            restarted=True,
        )

    def _finish(self, end: End) -> None:
        left = end_descendants(self._quiet_tick, _TERM_GRACE_S)
        try:
            self._insist(self._ingest.poll)
        except Exception:  # a process edge: the end must be on record even where the last rows can't be
            with contextlib.suppress(OSError):
                traceback.print_exc()
        # Before the end is on record: whoever reads it may resume at once, into the same folder.
        if end.state != "failed":  # Ray's own logs lie there, which a failure may need
            shutil.rmtree(self._run.scratch, ignore_errors=True)
        fields = self._end_fields(end, len(left))
        try:
            self._insist(lambda: append_event(self._run, _EVENT_OF[end.state], **fields))
        finally:
            self._insist(lambda: self._journal.close(end.state, end.reason, end.exit_status))

    def _quiet_tick(self) -> None:
        self._children.reap()
        try:
            self._journal.beat()
        except OSError:  # no space left, or the directory is gone; the descendants must still end
            return

    def _end_fields(self, end: End, left: int) -> dict[str, object]:
        fields: dict[str, object] = {"attempt": self._plan.attempt, "reason": end.reason}
        if end.state == "failed":
            fields |= {"process": end.process, "exit_status": end.exit_status, "lines": list(end.lines)}
        if end.state != "finished":
            fields["next"] = f"liverl resume {self._plan.name}"
        if left:
            fields["left_processes"] = left
        return fields


_EVENT_OF = {"finished": "finished", "stopped": "stopped", "failed": "died"}


def describe_exit(status: int) -> str:
    """An exit status in words, a negative one being a signal."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was killed by {name}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Supervise one attempt; returns 0 when it finished or was stopped, 3 when it failed."""
    parser = argparse.ArgumentParser(prog="python -m liverl.run.supervisor", description=__doc__)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("--attempt", type=int, default=0, help="the newest planned one when not given")
    given = parser.parse_args(arguments)
    run = RunDir(given.run_dir.resolve())
    plan = read_plan(run, given.attempt or newest_attempt(run))
    guard = split_off()
    become_subreaper()
    end = Supervisor(run, plan, guard).supervise()
    return _EXIT_FAILED if end.state == "failed" else 0


if __name__ == "__main__":
    sys.exit(main())
