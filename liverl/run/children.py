"""The processes a supervisor starts: they die with it, and their ends are collected here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from liverl.record.runfile import ProcessRef
from liverl.run.processes import dying_with, reference


@dataclass
class Child:
    """A process that was started; `exit_status` is None while it runs, negative for a signal."""

    ref: ProcessRef
    popen: subprocess.Popen[bytes]
    exit_status: int | None = None

    @property
    def runs(self) -> bool:
        """Whether its end was not yet seen."""
        return self.exit_status is None


class Children:
    """Starts children and reaps them, together with the orphans that fall to a subreaper."""

    def __init__(self, log: Path, cwd: Path) -> None:
        self._log = log
        self._cwd = cwd
        self._started: list[Child] = []

    def start(
        self, name: str, command: Sequence[str], env: Mapping[str, str], log_file: Path | None = None
    ) -> Child:
        """Start a command, in a process group of its own; one that can't be started raises `OSError`.

        Its output goes to a log of its own, or else to the common one.
        """
        with (log_file or self._log).open("ab") as log:
            popen = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._cwd,
                env=dict(env),
                process_group=0,
                preexec_fn=dying_with(os.getpid()),
            )
        child = Child(reference(name, popen.pid), popen)
        self._started.append(child)
        return child

    def reap(self) -> None:
        """Collect every end there is."""
        # Popen.poll() would lose an end to this loop; so the loop alone waits and tells Popen.
        by_pid = {child.ref.pid: child for child in self._started if child.runs}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if (child := by_pid.get(pid)) is not None:
                child.exit_status = child.popen.returncode = os.waitstatus_to_exitcode(status)
