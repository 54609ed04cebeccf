"""A user who has just installed the plugin, in an empty folder: nothing but the plugin's own files is there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.claude import ROOT, bash, call, results_of, says, talk

pytestmark = pytest.mark.claude
SHIPPED = (
    *(
        ".claude-plugin",
        "commands",
        "liverl",
        "mcp_server",
        "monitors",
        "profiles",
        "scripts",
        "skills",
        "tasks",
    ),
    *("config.yaml", "pyproject.toml", "requirements-control.txt", "requirements.txt"),
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The plugin as a marketplace copies it, without what .gitignore names."""
    root = tmp_path / "cache" / "liverl" / "rl" / "0.1.0"
    root.mkdir(parents=True)
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root / name)
    return root


@pytest.fixture
def packages() -> dict[str, str]:
    """The checkout's uv, with the packages that it has already and with this machine's way to an index."""
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not in this environment: bash scripts/setup_env.sh")
    cache = subprocess.run(
        [str(uv), "cache", "dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    ways = {
        name: value
        for name, value in os.environ.items()
        if re.match(r"UV_|SSL_CERT_|(https?|no)_proxy$", name, re.I)
    }
    return {**ways, "PATH": f"{uv.parent}{os.pathsep}{os.environ['PATH']}", "UV_CACHE_DIR": cache}


def again_until_it_is_there(body: dict[str, Any]) -> list[dict[str, Any]]:
    """A model that calls preflight, and again two seconds after it was told that there is no such tool."""
    last = results_of([body])[-1]
    if "No such tool" in last:
        return [bash("for second in 1 2; do sleep 1; done; echo waited")]
    return [call("preflight")] if last == "waited" else says("No.")


async def test_the_server_starts_without_an_environment_and_preflight_names_setup(
    binary: Path, installed: Path, packages: dict[str, str], project: Path
) -> None:
    before = sorted(installed.rglob("*"))
    # Claude Code gives a server half a minute; a busy machine may take longer to make the environment.
    env = {**packages, "MCP_TIMEOUT": "120000"}
    heard = await talk(
        *(binary, project, ["/rl:check"], [[call("preflight")], again_until_it_is_there]),
        *("--allowedTools", "Bash"),
        plugin=installed,
        env=env,
    )
    # Claude Code waits for it neither with its first word nor, for more than seconds, with the first call.
    assert [one["status"] for one in heard.init["mcp_servers"]] in (["pending"], ["connected"])
    result = heard.answered[0].results[-1]
    assert "/rl:setup" in result
    if result.startswith("{"):
        assert not json.loads(result)["ok"]
    made = project.parent / "home" / ".claude" / "plugins" / "data"
    assert list(made.glob("*/control-venv/bin/python"))
    assert list(project.iterdir()) == []
    assert [path for path in sorted(installed.rglob("*")) if "__pycache__" not in path.parts] == before
