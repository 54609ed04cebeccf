"""Scaffolds by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.errors import ConfigError, SandboxError
from liverl.scaffold.registry import resolve


def test_the_shell_runs_outside_and_needs_no_door() -> None:
    scaffold = resolve("shell", {})
    assert scaffold.import_path == "liverl.scaffold.shell:ShellAgent" and not scaffold.inside


def test_any_harbor_agent_can_be_named_by_its_import_path() -> None:
    scaffold = resolve("harbor.agents.nop:NopAgent", {})
    assert scaffold.import_path == "harbor.agents.nop:NopAgent" and scaffold.inside


@pytest.mark.parametrize("name", ["nonesuch", "no.module:Agent", "harbor.agents.nop:NoAgent"])
def test_another_name_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        resolve(name, {})


def test_claude_code_without_its_binary_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError) as caught:
        resolve("claude-code", {})
    assert "npm install" in caught.value.next_action
