"""Memory of a real tree of processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from bench.memory import MemoryWatch, pss_bytes, tree

MIB = 1 << 20
# A child that starts one of its own with 64 MiB, says so, and waits for its input to end.
HOLDER = "import sys; held = bytearray(64 << 20); print('held', flush=True); sys.stdin.read()"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLDER!r}])"


@pytest.fixture
def holding() -> Iterator[subprocess.Popen[bytes]]:
    """A process whose child holds 64 MiB."""
    process = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.communicate()


def test_a_tree_holds_the_children_of_children(holding: subprocess.Popen[bytes]) -> None:
    assert holding.pid in tree([os.getpid()])
    assert len(tree([holding.pid])) == 2


def test_the_memory_of_a_tree_is_that_of_all_its_processes(holding: subprocess.Popen[bytes]) -> None:
    assert 64 * MIB < pss_bytes(tree([holding.pid])) < 128 * MIB
    assert pss_bytes([holding.pid]) < 64 * MIB


def test_a_process_that_is_gone_counts_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert tree([ended.pid]) == set()
    assert pss_bytes([ended.pid]) == 0


def test_a_watch_remembers_the_largest_sample(holding: subprocess.Popen[bytes]) -> None:
    with MemoryWatch(lambda: [holding.pid], every_s=0.01) as watch:
        deadline = time.monotonic() + 10
        while watch.samples < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert watch.peak_bytes > 64 * MIB
