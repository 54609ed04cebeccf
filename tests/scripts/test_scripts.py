"""The scripts: short, sound, found from anywhere, honest about what is missing; nothing is installed here."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from liverl.config import PROFILES

ROOT = PROFILES.parent
SCRIPTS = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file())
SYSTEM = "/usr/bin:/bin"


def run(script: Path, *arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": SYSTEM, "HOME": str(cwd), **env}
    return subprocess.run(
        ["bash", str(script), *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the scripts read, without an environment."""
    root = tmp_path / "check out"
    shutil.copytree(ROOT / "scripts", root / "scripts")
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, root / name)
    return root


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("script", [*SCRIPTS, ROOT / ".ci" / "run"], ids=lambda path: path.name)
def test_a_script_is_short_strict_and_parses(script: Path) -> None:
    text = script.read_text()
    assert len(text.splitlines()) <= 30
    assert "set -euo pipefail" in text
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert os.access(script, os.X_OK)
    assert not re.search(r"https?://|pkill|killall", text)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_has_nothing_to_say() -> None:
    subprocess.run(["shellcheck", *map(str, SCRIPTS)], check=True)


def test_a_python_that_only_pretends_is_passed_over(checkout: Path, tmp_path: Path) -> None:
    """A version manager's shim is on PATH and fails where its version is not selected."""
    program(tmp_path / "shims" / "python3.12", "echo 'python3.12: command not found' >&2; exit 127")
    real = program(
        tmp_path / ".pyenv" / "versions" / "3.12.9" / "bin" / "python3.12", f'exec {sys.executable} "$@"'
    )
    found = run(checkout / "scripts" / "find_python.sh", cwd=tmp_path, PATH=f"{tmp_path / 'shims'}:{SYSTEM}")
    assert found.returncode == 0
    assert real.exists()
    version = subprocess.run([found.stdout.strip(), "-V"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("Python 3.12")


def test_an_environment_that_is_current_is_left_alone(checkout: Path, tmp_path: Path) -> None:
    wanted = (checkout / "requirements.txt").read_bytes() + (checkout / "pyproject.toml").read_bytes()
    program(checkout / ".venv" / "bin" / "python", "exit 0")
    stamp = checkout / ".venv" / ".liverl-stamp"
    stamp.write_text(f"{hashlib.sha256(wanted).hexdigest()} {checkout}\n")
    program(tmp_path / "bin" / "bwrap", "exit 0")
    path = f"{tmp_path / 'bin'}:{SYSTEM}"
    done = run(checkout / "scripts" / "setup_env.sh", cwd=tmp_path, PATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_changed_requirement_installs_again(checkout: Path, tmp_path: Path) -> None:
    log = tmp_path / "uv.log"
    python = program(tmp_path / "bin" / "python3.12", f'exec {sys.executable} "$@"')
    program(tmp_path / "bin" / "bwrap", "exit 0")
    program(tmp_path / "bin" / "uv", f'echo "$@" >>"{log}"')
    program(checkout / ".venv" / "bin" / "python", f'exec {python} "$@"')
    path = f"{tmp_path / 'bin'}:{SYSTEM}"
    done = run(checkout / "scripts" / "setup_env.sh", cwd=tmp_path, PATH=path)
    assert done.returncode == 0, done.stderr
    calls = log.read_text().splitlines()
    assert [call.split()[:2] for call in calls] == [["pip", "install"]] * 2
    assert (checkout / ".venv" / ".liverl-stamp").read_text().endswith(f" {checkout}\n")


@pytest.mark.parametrize("name", ["train_1node_cc.sh", "dryrun.sh"])
def test_without_an_environment_the_command_that_makes_one_is_named(
    name: str, checkout: Path, tmp_path: Path
) -> None:
    done = run(checkout / "scripts" / name, cwd=tmp_path)
    assert done.returncode == 2
    assert "setup_env.sh" in done.stderr


def test_options_reach_liverl_from_any_folder(checkout: Path, tmp_path: Path) -> None:
    program(checkout / ".venv" / "bin" / "liverl", 'echo "$PWD: $@"')
    trained = run(checkout / "scripts" / "train_1node_cc.sh", "--smoke", "--set", "a b", cwd=tmp_path)
    assert trained.stdout == f"{checkout}: run --yes --smoke --set a b\n"
    checked = run(checkout / "scripts" / "dryrun.sh", "--json", cwd=tmp_path)
    assert checked.stdout == f"{checkout}: check --json\n"


def bare(folder: Path, *programs: str) -> Path:
    """A PATH with nothing but a few of the system's programs."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("bash", "env", "dirname", "grep", *programs):
        found = shutil.which(name, path=SYSTEM)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def as_root_with_apt(folder: Path, log: Path, brings: str) -> None:
    """`id` says root; apt-get notes what it was asked for, and installs the text of a program as python3."""
    program(folder / "id", "echo 0")
    install = f"printf '%s' {shlex.quote(brings)} >{shlex.quote(str(folder / 'python3'))}"
    asked = f'echo "$@" >>{shlex.quote(str(log))}; case "$1" in install) {install}; chmod 755 {folder}/python3;; esac'
    program(folder / "apt-get", asked)


VENV = """#!/bin/bash
case "$1 $2" in
  "-c import"*) exit 0 ;;
  "-m venv") mkdir -p "$4/bin"; printf '#!/bin/bash\\nexit 0' >"$4/bin/python"; chmod 755 "$4/bin/python" ;;
esac
"""


@pytest.mark.parametrize("has_python", [False, True], ids=["a bare image", "python3 without python3-venv"])
def test_as_root_on_debian_what_uv_needs_is_installed(
    has_python: bool, checkout: Path, tmp_path: Path
) -> None:
    path, log = bare(tmp_path / "bin", "mkdir", "chmod"), tmp_path / "apt.log"
    as_root_with_apt(path, log, VENV)
    if has_python:
        program(path / "python3", "exit 1")
    done = run(checkout / "scripts" / "find_uv.sh", cwd=tmp_path, PATH=str(path))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(rf"{tmp_path}/.cache/liverl/uv-[\d.]+/bin/uv\n", done.stdout)
    assert log.read_text().splitlines() == ["update -qq", "install -y -qq python3-venv"]


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt-get", "apt-get install -y python3-venv"),
        ("dnf", "dnf install -y python3"),
        ("zypper", "zypper install -y python3"),
        ("pacman", "pacman -S --noconfirm python3"),
        ("apk", "apk add python3"),
    ],
)
def test_elsewhere_the_command_that_brings_what_uv_needs_is_named(
    manager: str, command: str, checkout: Path, tmp_path: Path
) -> None:
    path = bare(tmp_path / "bin")
    program(path / "id", "echo 1000")
    program(path / manager, "exit 1")
    done = run(checkout / "scripts" / "find_uv.sh", cwd=tmp_path, PATH=str(path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"  sudo {command}"


def test_an_installation_that_fails_names_its_command(checkout: Path, tmp_path: Path) -> None:
    path = bare(tmp_path / "bin")
    program(path / "id", "echo 0")
    program(path / "apt-get", "exit 100")
    done = run(checkout / "scripts" / "setup_sandbox.sh", cwd=tmp_path, PATH=str(path))
    assert done.returncode == 1
    assert "apt-get install -y bubblewrap" in done.stderr


def test_missing_bubblewrap_names_the_command_where_it_cannot_be_installed(
    checkout: Path, tmp_path: Path
) -> None:
    bare(tmp_path / "bin", "id")
    program(tmp_path / "bin" / "dnf", "exit 1")
    done = run(checkout / "scripts" / "setup_sandbox.sh", cwd=tmp_path, PATH=str(tmp_path / "bin"))
    assert done.returncode == 1
    assert "dnf install -y bubblewrap" in done.stderr
