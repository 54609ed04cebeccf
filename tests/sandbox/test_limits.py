"""Memory, processes, disk and time are bounded, by whichever means this machine has."""

from __future__ import annotations

import time

import pytest

from liverl.sandbox.limits import Home, LimitKind, detect
from tests.sandbox.conftest import Start

pytestmark = pytest.mark.sandbox
EAT = 'python3 -c "x = bytearray(400 << 20); print(len(x))"'


@pytest.fixture(params=["this machine's", "rlimits"])
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both what this machine has and what every machine has."""
    if request.param == "rlimits":
        monkeypatch.setattr("liverl.sandbox.limits.detect", lambda: Home(LimitKind.RLIMIT))
    elif detect().kind is LimitKind.RLIMIT:
        pytest.skip("this machine has nothing but rlimits")


async def test_a_command_that_eats_memory_is_stopped_and_the_next_one_runs(
    start: Start, limits: None
) -> None:
    sandbox = await start(memory_mb=128)
    result = await sandbox.exec(EAT)
    assert result.return_code != 0 and not result.stdout
    assert (await sandbox.exec("echo on")).stdout == "on\n"


async def test_a_fork_bomb_is_stopped_and_its_sandbox_can_still_be_graded(start: Start, limits: None) -> None:
    sandbox = await start(processes=32)
    await sandbox.exec("bomb() { bomb | bomb & }; bomb; sleep 1", timeout_sec=3)
    await sandbox.exec("for i in $(seq 200); do sleep 50 & done 2>/dev/null", timeout_sec=3)
    tests = sandbox.environment_dir / "app"
    await sandbox.upload_dir(tests, "/tests")
    assert (await sandbox.exec("ls /tests")).stdout == "program.py\n"


async def test_no_more_processes_than_allowed_run_at_once(start: Start, limits: None) -> None:
    sandbox = await start(processes=16)
    await sandbox.exec("for i in $(seq 60); do sleep 50 >/dev/null 2>&1 & done; true", timeout_sec=3)
    tests = await sandbox._inside(["/bin/sh", "-c", "ls -d /proc/[0-9]* | wc -l"])
    assert int(tests.stdout) <= 16 + 4


@pytest.mark.parametrize("place", ["/app", "/tmp", "/root", "/logs/agent", "/dev/shm"])
async def test_every_writable_place_is_bounded(start: Start, place: str) -> None:
    sandbox = await start(disk_mb=8)
    result = await sandbox.exec(f"dd if=/dev/zero of={place}/big bs=1M count=40")
    assert result.return_code != 0 and "No space left" in (result.stderr or "")


async def test_a_command_out_of_time_ends_with_124_and_dies_inside(start: Start) -> None:
    sandbox = await start()
    begun = time.monotonic()
    result = await sandbox.exec("echo begun; (setsid sleep 77 &); sleep 78", timeout_sec=0.5)
    assert time.monotonic() - begun < 3
    assert (result.return_code, result.stdout) == (124, "begun\n")
    assert "stopped after 0.5 s" in (result.stderr or "")
    assert "sleep" not in ((await sandbox.exec("cat /proc/*/comm")).stdout or "")


async def test_a_background_process_does_not_hold_its_command_up(start: Start) -> None:
    sandbox = await start()
    begun = time.monotonic()
    result = await sandbox.exec("sleep 60 & echo started", timeout_sec=30)
    assert (result.return_code, result.stdout) == (0, "started\n")
    assert time.monotonic() - begun < 3


async def test_endless_output_is_cut_off(start: Start) -> None:
    sandbox = await start()
    result = await sandbox.exec("yes | head -c 50000000")
    assert result.return_code == 0 and len(result.stdout or "") == 1 << 20


async def test_a_command_too_long_to_start_is_refused_and_the_next_one_runs(start: Start) -> None:
    sandbox = await start()
    result = await sandbox.exec(f"echo {'x' * (128 << 10)}")
    assert (result.return_code, result.stderr) == (126, "command too long\n")
    assert (await sandbox.exec(f"true {'x' * 100_000}; echo on")).stdout == "on\n"
