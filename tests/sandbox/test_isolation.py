"""What a sandbox must not see or reach, each tried from inside."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from liverl.errors import SandboxError
from tests.sandbox.conftest import Start

pytestmark = pytest.mark.sandbox
PROJECT = Path(__file__).parents[2]


async def test_the_task_files_are_in_the_working_directory(start: Start) -> None:
    sandbox = await start()
    result = await sandbox.exec("pwd; python3 program.py")
    assert (result.stdout, result.return_code) == ("/app\nhello\n", 0)


async def test_no_home_no_project_and_no_tasks_folder_is_visible(start: Start, tmp_path: Path) -> None:
    sandbox = await start()
    for host_path in (Path.home() / ".bashrc", Path.home() / ".ssh", PROJECT, PROJECT / "tasks", tmp_path):
        result = await sandbox.exec(f"ls -a {host_path}")
        assert result.return_code != 0 or str(host_path) == "/root", host_path
    assert (await sandbox.exec("ls -A /root /home /work /mnt /opt /var 2>/dev/null")).stdout == "/root:\n"


async def test_the_root_folder_holds_nothing_else_of_the_host(start: Start) -> None:
    sandbox = await start()
    seen = set(((await sandbox.exec("ls /")).stdout or "").split())
    system = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "proc", "dev"}
    assert seen <= system | {"app", "logs", "tests", "solution", "tmp", "root"}
    etc = set(((await sandbox.exec("ls /etc")).stdout or "").split())
    generated = {"passwd", "group", "hosts", "nsswitch.conf", "resolv.conf"}
    assert etc <= generated | {"ld.so.cache", "alternatives"}
    assert (await sandbox.exec("wc -l < /etc/passwd")).stdout == "2\n"


async def test_no_variable_of_the_host_gets_in(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIVERL_DOOR_KEY", "very-secret")
    sandbox = await start()
    result = await sandbox.exec("env; cat /proc/*/environ | tr '\\0' '\\n'", env={"GIVEN": "yes"})
    names = {line.split("=")[0] for line in (result.stdout or "").splitlines()}
    assert "very-secret" not in (result.stdout or "")
    assert names <= {"PATH", "HOME", "LANG", "PWD", "OLDPWD", "SHLVL", "_", "GIVEN"}


async def test_another_trial_can_neither_be_seen_nor_signalled(start: Start) -> None:
    first, second = await start(), await start()
    await first.exec("echo secret > /app/mine; nohup sleep 100 >/dev/null 2>&1 &")
    assert (await second.exec("ls /app")).stdout == "program.py\n"
    processes = ((await second.exec("ls -d /proc/[0-9]*")).stdout or "").split()
    assert len(processes) <= 3
    await second.exec("kill -9 -1")
    assert "sleep" in ((await first.exec("cat /proc/*/comm")).stdout or "")


async def test_there_is_no_network_but_the_loopback(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        sandbox = await start()
        devices = await sandbox.exec("tail -n +3 /proc/net/dev | cut -d: -f1")
        assert (devices.stdout or "").split() == ["lo"]
        for host in ("127.0.0.1", "1.1.1.1", socket.gethostname()):
            script = f"import socket; socket.create_connection(({host!r}, {port}), timeout=3)"
            assert (await sandbox.exec(f'python3 -c "{script}"')).return_code != 0, host


async def test_the_system_is_read_only(start: Start) -> None:
    sandbox = await start()
    for path in ("/usr/bin/x", "/bin/x", "/etc/x", "/x", "/dev/x", "/usr/lib/x", "/etc/passwd", "/bin/bash"):
        assert (await sandbox.exec(f"echo x >> {path}")).return_code != 0, path
    assert (await sandbox.exec("mount -o remount,rw /usr")).return_code != 0
    assert (await sandbox.exec("echo 5 > /proc/sys/kernel/pid_max")).return_code != 0


async def test_root_inside_holds_no_capability_and_can_get_none(start: Start) -> None:
    sandbox = await start()
    status = (await sandbox.exec("id -u; cat /proc/self/status /proc/1/status")).stdout or ""
    assert status.startswith("0\n")
    capabilities = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
    assert len(capabilities) == 10 and set(capabilities) == {"0" * 16}
    assert status.count("NoNewPrivs:\t1") == 2
    script = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x10000000) == 0)"
    assert (await sandbox.exec(f'python3 -c "{script}"')).return_code == 0
    assert (await sandbox.exec("unshare -Urm true")).return_code != 0


async def test_the_host_runs_it_as_a_user_with_no_rights(start: Start) -> None:
    sandbox = await start()
    uids = Path(f"/proc/{sandbox.pid}/status").read_text().split("Uid:")[1].split()[:4]
    assert "0" not in uids
    if os.geteuid() == 0:
        assert set(uids) == {"65534"}


@pytest.mark.parametrize("name", ["LD_PRELOAD", "BASH_ENV"])
async def test_no_variable_can_steer_the_programs_that_lead_inside(start: Start, name: str) -> None:
    sandbox = await start()
    with pytest.raises(SandboxError, match=name):
        await sandbox.exec("true", env={name: "/app/x"})
