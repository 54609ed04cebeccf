"""The scripts that a plugin runs: they find or make the packages they need, and keep out of the plugin's folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts.test_scripts import ROOT, SYSTEM, program, run

ASKED = (
    'import os, sys; print(sys.argv[1:], sys.path[0], os.getcwd(), os.environ.get("CLAUDE_PROJECT_DIR"))\n'
)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the plugin, as a marketplace makes one, whose server only says what it was given."""
    root = tmp_path / "plug in"
    shutil.copytree(ROOT / "scripts", root / "scripts")
    for name in ("requirements.txt", "requirements-control.txt", "pyproject.toml", "config.yaml"):
        shutil.copy(ROOT / name, root / name)
    (root / "tasks" / "train").mkdir(parents=True)
    (root / "mcp_server").mkdir()
    (root / "mcp_server" / "__main__.py").write_text(ASKED)
    return root


def control_venv(data: Path, plugin: Path) -> Path:
    """An environment that is as setup_control.sh leaves it."""
    python = program(data / "control-venv" / "bin" / "python", f'exec {sys.executable} -S "$@"')
    shutil.copy(plugin / "requirements-control.txt", data / "control-venv" / ".liverl-stamp")
    return python


def start(plugin: Path, cwd: Path, data: Path, **env: str) -> str:
    done = run(plugin / "scripts" / "mcp", "x", cwd=cwd, CLAUDE_PLUGIN_DATA=str(data), **env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_server_runs_the_plugins_code_in_the_users_folder(plugin: Path, tmp_path: Path) -> None:
    data, project = tmp_path / "data", tmp_path / "project"
    control_venv(data, plugin)
    (project / "mcp_server").mkdir(parents=True)
    (project / "mcp_server" / "__main__.py").write_text("raise SystemExit('the wrong one')")
    before = sorted(plugin.rglob("*"))
    told = start(plugin, project, data, CLAUDE_PROJECT_DIR="/some where")
    assert told == f"['x'] {plugin} {project} /some where"
    # Python keeps what it has compiled beside the code; nothing else may appear there.
    assert [path for path in sorted(plugin.rglob("*")) if "__pycache__" not in path.parts] == before


def test_where_the_plugins_folder_is_the_working_one_the_users_is_the_pwd_that_was_passed_on(
    plugin: Path, tmp_path: Path
) -> None:
    control_venv(tmp_path / "data", plugin)
    assert start(plugin, plugin, tmp_path / "data", PWD=str(tmp_path)).endswith(f" {plugin} {tmp_path}")
    assert start(plugin, tmp_path, tmp_path / "data", PWD=str(tmp_path)).endswith(f" {tmp_path} None")


@pytest.mark.parametrize(
    "missing", ["", "mcp", "pydantic_core"], ids=["complete", "without mcp", "without pydantic"]
)
def test_a_checkouts_own_environment_is_taken_where_it_has_the_packages(
    missing: str, plugin: Path, tmp_path: Path
) -> None:
    control_venv(tmp_path / "data", plugin)
    program(plugin / ".venv" / "bin" / "python", "echo the checkout\\'s own")
    for name in {"mcp", "pydantic_core"} - {missing}:
        (plugin / ".venv" / "lib" / "python3.12" / "site-packages" / name).mkdir(parents=True)
    told = start(plugin, tmp_path, tmp_path / "data")
    assert (told == "the checkout's own") == (not missing)


@pytest.fixture
def tools(plugin: Path, tmp_path: Path) -> tuple[str, Path]:
    """A PATH with a uv that notes what it is asked for and makes a python where an environment is asked for."""
    log = tmp_path / "uv.log"
    makes = 'if [ "$1" = venv ]; then mkdir -p "${@: -1}/bin"; ln -sf "$(type -P python3.12)" "${@: -1}/bin/python"; fi'
    program(tmp_path / "bin" / "uv", f'echo "$@" >>"{log}"\n{makes}')
    program(tmp_path / "bin" / "python3.12", f'exec {sys.executable} "$@"')
    program(tmp_path / "bin" / "bwrap", "exit 0")
    return f"{tmp_path / 'bin'}:{SYSTEM}", log


def test_the_control_planes_environment_is_made_once_however_many_sessions_start(
    plugin: Path, tmp_path: Path, tools: tuple[str, Path]
) -> None:
    path, log = tools
    venv = tmp_path / "data" / "control-venv"
    command = ["bash", str(plugin / "scripts" / "setup_control.sh"), str(venv)]
    env = {"PATH": path, "HOME": str(tmp_path)}
    started = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate(timeout=60)[0] for process in started] == [b""] * 4
    assert [process.returncode for process in started] == [0] * 4
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["venv", "pip"]
    (plugin / "requirements-control.txt").write_text("another==1\n")
    subprocess.run(command, env=env, check=True, capture_output=True)
    assert log.read_text().splitlines()[-1].startswith("pip install")


def set_up(plugin: Path, project: Path, path: str) -> subprocess.CompletedProcess[str]:
    return run(plugin / "scripts" / "setup_project.sh", str(project), cwd=project.parent, PATH=path)


def test_an_empty_folder_becomes_ready_and_stays_as_the_user_leaves_it(
    plugin: Path, tmp_path: Path, tools: tuple[str, Path]
) -> None:
    path, log = tools
    project = tmp_path / "pro ject"
    project.mkdir()
    before = sorted(plugin.rglob("*"))
    done = set_up(plugin, project, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("next: /rl:check")
    assert (project / "config.yaml").read_text() == (plugin / "config.yaml").read_text()
    assert (project / "tasks" / "train").is_dir()
    # What is built is a folder of links in the environment, not the plugin's own.
    assert log.read_text().splitlines()[-1].endswith(f"-e {project}/.venv/share/liverl")
    assert sorted(plugin.rglob("*")) == before
    (project / "config.yaml").write_text("mine")
    shutil.rmtree(project / "tasks")
    assert set_up(plugin, project, path).returncode == 0
    assert (project / "config.yaml").read_text() == "mine"
    assert not (project / "tasks").exists()


def test_an_environment_that_is_somebody_elses_is_not_touched(
    plugin: Path, tmp_path: Path, tools: tuple[str, Path]
) -> None:
    path, log = tools
    theirs = program(tmp_path / "project" / ".venv" / "bin" / "python", "echo theirs")
    done = set_up(plugin, tmp_path / "project", path)
    assert done.returncode == 2
    assert "LiveRL did not make it" in done.stderr
    assert not log.exists() and theirs.exists()
    assert not (tmp_path / "project" / "config.yaml").exists()


def test_in_a_checkout_the_project_is_the_checkout(plugin: Path, tools: tuple[str, Path]) -> None:
    path, log = tools
    done = set_up(plugin, plugin, path)
    assert done.returncode == 0, done.stderr
    assert log.read_text().splitlines()[-1].endswith(f"-e {plugin}")
