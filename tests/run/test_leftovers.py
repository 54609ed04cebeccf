"""What a dead run left is killed, and whoever called for that is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from liverl.run import leftovers
from liverl.run.processes import start_ticks

_CALLER = """
import subprocess, sys
print(subprocess.run([sys.executable, "-c", sys.argv[1], sys.argv[2]]).returncode)
"""
_END = """
import sys
from pathlib import Path
from liverl.record.layout import RunDir
from liverl.run.leftovers import end_leftovers
end_leftovers(RunDir(Path(sys.argv[1])))
"""
_SLEEP = "print(1, flush=True); import time; time.sleep(600)"


def marked_child(run: RunDir) -> subprocess.Popen[bytes]:
    """A process that carries a run's mark and has begun."""
    child = subprocess.Popen(
        [sys.executable, "-c", _SLEEP],
        env={**os.environ, "LIVERL_RUN_DIR": str(run.root.resolve())},
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None and child.stdout.readline()
    return child


def test_a_shell_that_exported_the_mark_is_spared_and_a_leftover_is_not(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "run")
    left = marked_child(run)
    try:
        # As a shell that has exported LIVERL_RUN_DIR and calls `liverl resume`.
        shell = subprocess.run(
            [sys.executable, "-c", _CALLER, _END, str(run.root)],
            env={**os.environ, "LIVERL_RUN_DIR": str(run.root.resolve())},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (shell.returncode, shell.stdout.strip()) == (0, "0"), shell.stderr
        assert start_ticks(left.pid) is None
    finally:
        left.kill()
        left.communicate()


def test_what_may_not_be_killed_is_returned_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunDir.create(tmp_path / "run")
    left = marked_child(run)

    def scripted_kernel(pid: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "kill", scripted_kernel)
            patched.setattr(leftovers, "_LIMIT_S", 600.0)
            assert [process.pid for process in leftovers.end_leftovers(run)] == [left.pid]
        assert leftovers.end_leftovers(run) == []
    finally:
        left.kill()
        left.communicate()
