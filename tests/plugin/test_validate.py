"""What Claude Code itself says about the plugin."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.plugin.claude import ROOT, environment

pytestmark = pytest.mark.claude
ALWAYS_ON_TOKENS = 200


def claude(binary: Path, home: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(binary), *arguments],
        cwd=ROOT,
        env=environment(home, "http://127.0.0.1:9"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_plugin_passes_the_strictest_validation_without_a_warning(binary: Path, tmp_path: Path) -> None:
    told = claude(binary, tmp_path, "plugin", "validate", ".", "--strict", "--profile", "directory", "--json")
    report = json.loads(told)
    assert report["success"]
    parts = [report["manifest"], *report["contents"]]
    assert [(part["errors"], part["warnings"]) for part in parts] == [([], [])] * len(parts)
    assert report["directory"]["findings"] == []
    assert [one["name"] for one in report["provides"]["mcpServers"]] == ["liverl"]
    assert [one["name"] for one in report["provides"]["monitors"]] == ["run-watch", "resume-watch"]


def test_the_plugin_costs_a_session_that_does_not_use_it_few_tokens(binary: Path, tmp_path: Path) -> None:
    told = claude(binary, tmp_path, "--plugin-dir", ".", "plugin", "details", "rl")
    found = re.search(r"Always-on:\s+~(\d+) tok", told)
    assert found is not None, told
    print(f"always on: {found.group(1)} tokens")
    assert int(found.group(1)) <= ALWAYS_ON_TOKENS
