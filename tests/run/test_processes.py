"""What is signalled, and what a process descends from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from liverl.run.processes import ancestors

# SIGURG does nothing to whoever did not ask for it.
_AS_NOBODY = """
import os, signal
from liverl.run.processes import reference, send, send_group
first = reference("init", 1)
if os.geteuid() == 0:
    os.setuid(65534)
print(send(first, signal.SIGURG), send_group(first, signal.SIGURG))
"""


def test_a_process_descends_from_its_parent_and_what_that_one_descends_from() -> None:
    found = ancestors(os.getpid())
    assert found[0] == os.getppid()
    assert os.getpid() not in found
    assert ancestors(os.getppid()) == found[1:]


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    assert ancestors(gone.pid) == []


def test_what_may_not_be_signalled_is_told_and_raises_nothing() -> None:
    if os.geteuid() != 0 and Path("/proc/1").stat().st_uid == os.geteuid():
        pytest.skip("every process here is this user's")
    said = subprocess.run([sys.executable, "-c", _AS_NOBODY], capture_output=True, text=True, timeout=60)
    assert (said.returncode, said.stdout) == (0, "False False\n"), said.stderr
