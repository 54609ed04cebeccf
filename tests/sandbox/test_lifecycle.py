"""A sandbox starts anywhere, many at a time, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from liverl.errors import SandboxError
from liverl.sandbox.limits import detect
from tests.sandbox.conftest import Start, make_sandbox

pytestmark = pytest.mark.sandbox


def groups_of(pid: int) -> list[Path]:
    return [
        folder
        for parent in set(detect().parents.values())
        for folder in parent.glob(f"liverl-sandbox-{pid}-*")
    ]


def gone(pid: int, within_s: float = 5.0) -> bool:
    """Whether the process ends within the time."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if (
            not Path("/proc", str(pid)).exists()
            or "Z" in Path("/proc", str(pid), "stat").read_text().split()[2]
        ):
            return True
        time.sleep(0.02)
    return False


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split())


async def test_stopping_leaves_no_process_no_group_and_no_open_file(start: Start, tmp_path: Path) -> None:
    await (warm := make_sandbox(tmp_path)).start(force_build=False)
    await warm.stop(delete=True)
    files, before = open_files(), children()
    sandbox = await start(door="127.0.0.1:1")
    await sandbox.exec("(setsid sleep 500 &); nohup sleep 501 >/dev/null 2>&1 &")
    inside = [
        int(pid) for pid in Path(f"/proc/{sandbox.pid}/task/{sandbox.pid}/children").read_text().split()
    ]
    first = sandbox.pid
    assert len(inside) >= 2
    await sandbox.stop(delete=True)
    assert all(gone(pid) for pid in (first, *inside))
    assert (children(), groups_of(os.getpid()), open_files()) == (before, [], files)
    await sandbox.stop(delete=True)


async def test_a_command_after_the_end_is_the_sandboxes_failure(start: Start) -> None:
    sandbox = await start()
    os.kill(sandbox.pid, signal.SIGKILL)
    with pytest.raises(SandboxError, match="not running"):
        for _ in range(100):
            await sandbox.exec("sleep 0.1")


async def test_no_command_can_open_what_the_first_process_reads(start: Start) -> None:
    sandbox = await start()
    result = await sandbox.exec(
        "for fd in /proc/1/fd/*; do [ $(readlink $fd) = /dev/null ] || { readlink $fd; echo > $fd; }; done; true"
    )
    assert "socket:" in (result.stdout or "") and "pipe:" not in (result.stdout or "")
    assert (await sandbox.exec("echo on")).stdout == "on\n"
    assert not sandbox.broken


async def test_the_killed_owner_takes_its_sandboxes_along(tmp_path: Path, needs_bwrap: None) -> None:
    script = (
        "import asyncio, sys, pathlib\n"
        "from tests.sandbox.conftest import make_sandbox\n"
        "async def main():\n"
        "    sandbox = make_sandbox(pathlib.Path(sys.argv[1]))\n"
        "    await sandbox.start(False)\n"
        "    await sandbox.exec('(setsid sleep 900 >/dev/null 2>&1 &)')\n"
        "    print(sandbox.pid, flush=True)\n"
        "    await asyncio.sleep(100)\n"
        "asyncio.run(main())\n"
    )
    owner = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    assert owner.stdout is not None
    inside = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    assert gone(inside)
    detect.cache_clear()
    detect()
    assert groups_of(owner.pid) == []


async def test_a_cancelled_command_dies_inside(start: Start) -> None:
    sandbox = await start()
    task = asyncio.create_task(sandbox.exec("(setsid sleep 600 &); sleep 601"))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "sleep" not in ((await sandbox.exec("cat /proc/*/comm")).stdout or "")


async def test_stopping_takes_no_time_after_a_command_was_ended(start: Start) -> None:
    took_s = []
    for _ in range(3):
        sandbox = await start()
        await sandbox.exec("sleep 100 | sleep 100", timeout_sec=0.2)
        begun = time.monotonic()
        await sandbox.stop(delete=True)
        took_s.append(time.monotonic() - begun)
    # What waits out a grace period does so each time; a machine that is busy with other tests does not.
    assert min(took_s) < 0.7


def test_a_loop_of_another_thread_can_run_sandboxes(tmp_path: Path, needs_bwrap: None) -> None:
    said: list[str | None] = []

    async def once() -> None:
        sandbox = make_sandbox(tmp_path)
        await sandbox.start(force_build=False)
        said.append((await sandbox.exec("echo hi")).stdout)
        await sandbox.stop(delete=True)

    thread = threading.Thread(target=lambda: asyncio.run(once()))
    thread.start()
    thread.join()
    assert said == ["hi\n"]


async def test_64_sandboxes_run_at_once(tmp_path: Path, needs_bwrap: None) -> None:
    async def one(number: int) -> str:
        sandbox = make_sandbox(tmp_path)
        await sandbox.start(force_build=False)
        try:
            return ((await sandbox.exec(f"sleep 0.2; echo {number}")).stdout or "").strip()
        finally:
            await sandbox.stop(delete=True)

    begun = time.monotonic()
    assert await asyncio.gather(*map(one, range(64))) == [str(number) for number in range(64)]
    print(f"64 sandboxes: {time.monotonic() - begun:.2f} s")


async def test_without_bubblewrap_the_start_fails_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError) as caught:
        await make_sandbox(tmp_path).start(force_build=False)
    assert caught.value.code == "sandbox.bwrap_missing"
    assert groups_of(os.getpid()) == []


async def test_a_bubblewrap_that_can_not_start_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n")
    for path in (fake, fake.parent, *fake.parent.parents[:-1]):
        if path.stat().st_uid == os.geteuid() and path.is_relative_to(tmp_path.parents[1]):
            path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    with pytest.raises(SandboxError) as caught:
        await make_sandbox(tmp_path).start(force_build=False)
    assert caught.value.code == "sandbox.start_failed"
    assert "No permissions to create" in caught.value.evidence
