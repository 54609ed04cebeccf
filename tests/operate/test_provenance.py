"""What a run is made with, read without starting anything."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from liverl.operate.provenance import Checkout, checkout, versions


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    return subprocess.check_output(["git", "-C", str(folder), *identity, *arguments], text=True).strip()


def test_versions_are_those_of_the_interpreters_own_environment(tmp_path: Path) -> None:
    site = tmp_path / "venv" / "lib" / "python3.12" / "site-packages"
    for name in ("verl-9.9.9", "something_else-1.0"):
        (site / f"{name}.dist-info").mkdir(parents=True)
        project, _, number = name.partition("-")
        metadata = f"Metadata-Version: 2.1\nName: {project}\nVersion: {number}\n"
        (site / f"{name}.dist-info" / "METADATA").write_text(metadata)
    assert versions(str(tmp_path / "venv" / "bin" / "python")) == {"verl": "9.9.9"}


def test_versions_of_this_environment_are_those_that_are_installed() -> None:
    assert versions(sys.executable)["liverl"] == version("liverl")


def test_a_checkouts_commit_is_known_and_whether_its_files_were_changed(tmp_path: Path) -> None:
    assert checkout(tmp_path) == Checkout()
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("a")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert checkout(tmp_path) == Checkout(commit, dirty=False)
    (tmp_path / "untracked").write_text("")
    assert not checkout(tmp_path).dirty
    (tmp_path / "file").write_text("b")
    assert checkout(tmp_path) == Checkout(commit, dirty=True)
