"""Files in and out, and what an agent may leave in their way."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from liverl.errors import SandboxError
from liverl.sandbox.files import unpack
from tests.sandbox.conftest import Start

pytestmark = pytest.mark.sandbox


async def test_files_and_folders_go_in_and_come_out(start: Start, tmp_path: Path) -> None:
    sandbox = await start()
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "a.txt").write_text("a")
    await sandbox.upload_dir(tmp_path / "in", "/app/new")
    await sandbox.upload_file(tmp_path / "in" / "sub" / "a.txt", "/tmp/x/b.txt")
    await sandbox.download_dir("/app", tmp_path / "out")
    await sandbox.download_file("/tmp/x/b.txt", tmp_path / "b.txt")
    assert (tmp_path / "out" / "new" / "sub" / "a.txt").read_text() == "a"
    assert (tmp_path / "out" / "program.py").exists()
    assert (tmp_path / "b.txt").read_text() == "a"


async def test_links_pipes_and_paths_that_lead_out_are_refused(start: Start, tmp_path: Path) -> None:
    sandbox = await start()
    (tmp_path / "victim").write_text("untouched")
    await sandbox.exec(f"ln -s {tmp_path}/victim a; ln -s /etc b; ln -s ../../.. c; mkfifo d; echo ok > e")
    await sandbox.download_dir("/app", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["e", "program.py"]
    await sandbox.exec("rm -rf /app/*; ln -s / inside; mkdir real; ln -s real fine; echo x > real/f")
    await sandbox.download_dir("/app", tmp_path / "out")
    assert (tmp_path / "victim").read_text() == "untouched"
    assert not (tmp_path / "out" / "inside").exists()


async def test_a_link_is_followed_inside_only(start: Start, tmp_path: Path) -> None:
    sandbox = await start()
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    await sandbox.exec(f"ln -s {secret} /app/link")
    with pytest.raises(FileNotFoundError):
        await sandbox.download_file("/app/link", tmp_path / "out")
    await sandbox.exec(f"ln -s {tmp_path} /app/folder")
    with pytest.raises(SandboxError):
        await sandbox.upload_file(secret, "/app/folder/planted")
    assert not (tmp_path / "planted").exists()


async def test_a_folder_too_large_is_not_read(start: Start, tmp_path: Path) -> None:
    sandbox = await start(disk_mb=4)
    await sandbox.exec("truncate -s 10G /app/hole")
    with pytest.raises(SandboxError, match="over 4 MB"):
        await sandbox.download_dir("/app", tmp_path / "out")


async def test_what_the_agent_left_behind_can_not_touch_the_grading(start: Start, tmp_path: Path) -> None:
    sandbox = await start()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test.sh").write_text("echo honest\n")
    cheat = (
        "echo 1 > /logs/verifier/reward.txt; echo fake > /tests/planted; "
        "while true; do echo 1 > /logs/verifier/reward.txt; echo cheat > /tests/test.sh; done"
    )
    await sandbox.exec(f"(setsid nohup bash -c '{cheat}' >/dev/null 2>&1 &); sleep 0.2")
    await sandbox.exec("mkdir -p ~/.config; echo 'echo hijacked' > ~/.bashrc")
    await sandbox.upload_dir(tmp_path / "tests", "/tests")
    seen = await sandbox.exec("ls /tests /logs/verifier; bash /tests/test.sh; ls -A ~; cat /proc/*/comm")
    lines = (seen.stdout or "").splitlines()
    assert lines[:5] == ["/logs/verifier:", "", "/tests:", "test.sh", "honest"]
    assert lines[5] == "test.sh"
    assert (await sandbox.exec("ls -d /proc/[0-9]* | wc -l")).stdout in ("3\n", "4\n")


async def test_the_verifier_log_folder_is_a_folder_again(start: Start, tmp_path: Path) -> None:
    sandbox = await start()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test.sh").write_text("")
    await sandbox.exec("rm -rf /logs/verifier; ln -s /app /logs/verifier; touch /app/reward.txt")
    await sandbox.upload_dir(tmp_path / "tests", "/tests")
    result = await sandbox.exec("[ ! -L /logs/verifier ] && ls -A /logs/verifier")
    assert (result.return_code, result.stdout) == (0, "")


def tar(*members: tuple[str, bytes, bytes, str]) -> bytes:
    """A tar of (name, type, content, where it links to)."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, kind, content, link in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname, member.mode = kind, len(content), link, 0o755
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


FILE, LINK, HARD, FOLDER, DEVICE = b"0", b"2", b"1", b"5", b"3"


def test_only_folders_and_regular_files_are_unpacked(tmp_path: Path) -> None:
    refused = unpack(
        tar(
            ("sub", FOLDER, b"", ""), ("sub/a", FILE, b"a", ""), ("link", LINK, b"", "sub"),
            ("hard", HARD, b"", "sub/a"), ("null", DEVICE, b"", ""), ("../out", FILE, b"x", ""),
            ("/tmp/out", FILE, b"x", ""), ("link/b", FILE, b"b", ""), ("n" * 300, FILE, b"x", ""),
            ("sub/a/below", FILE, b"x", ""), ("sub", FILE, b"x", ""),
        ),
        tmp_path / "out",
    )  # fmt: skip
    assert refused == ["link", "hard", "null", "../out", "/tmp/out", "n" * 300, "sub/a/below", "sub"]
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert found == ["out", "out/link", "out/link/b", "out/sub", "out/sub/a"]
    assert not (tmp_path / "out" / "link").is_symlink()


def test_a_link_at_the_destination_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "victim").write_text("untouched")
    (tmp_path / "out" / "file").symlink_to(tmp_path / "victim")
    (tmp_path / "out" / "folder").symlink_to(tmp_path)
    members = tar(("file", FILE, b"x", ""), ("folder/victim", FILE, b"x", ""), ("folder", FOLDER, b"", ""))
    assert unpack(members, tmp_path / "out") == ["file", "folder/victim", "folder"]
    assert (tmp_path / "victim").read_text() == "untouched"


async def test_no_process_inside_outlives_the_reading_of_the_verifiers_logs(
    start: Start, tmp_path: Path
) -> None:
    sandbox = await start()
    await sandbox.exec("(setsid sleep 300 >/dev/null 2>&1 &); echo 1 > /logs/verifier/reward.txt")
    await sandbox.download_dir("/logs/verifier", tmp_path / "out")
    assert (tmp_path / "out" / "reward.txt").read_text() == "1\n"
    assert "sleep" not in ((await sandbox.exec("cat /proc/*/comm")).stdout or "")
