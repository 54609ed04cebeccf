"""The plugin's files agree with each other, with the package, and with the formats they follow."""

from __future__ import annotations

import json
import re
import struct
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.plugin.claude import ACTING, PREFIX, READING, ROOT

COMMANDS = sorted((ROOT / "commands").glob("*.md"))
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
CHANGING = {"run", "resume", "stop", "clean", "setup"}
MANIFESTS = (
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
)


def read_json(name: str) -> Any:
    return json.loads((ROOT / name).read_text())


def front(path: Path) -> dict[str, Any]:
    """A file's front matter."""
    head = path.read_text().split("---\n", 2)[1]
    loaded = yaml.safe_load(head)
    assert isinstance(loaded, dict)
    return loaded


def test_all_manifests_have_the_packages_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    told = {name: read_json(name).get("version") for name in MANIFESTS}
    told[MANIFESTS[1]] = read_json(MANIFESTS[1])["plugins"][0]["version"]
    assert told == dict.fromkeys(MANIFESTS, version)


def test_every_manifest_starts_the_same_launcher() -> None:
    commands = {
        name: read_json(name)["mcpServers"]["liverl"]["command"] for name in MANIFESTS if "market" not in name
    }
    assert {text.replace("${/}", "/").rsplit("/", 2)[-2:][0] for text in commands.values()} == {"scripts"}
    assert all(text.replace("${/}", "/").endswith("/scripts/mcp") for text in commands.values())
    # A .mcp.json in the root would be read as a project's too, where the plugin's variables mean nothing.
    assert not (ROOT / ".mcp.json").exists()


def test_the_icon_is_a_square_of_512_pixels() -> None:
    head = (ROOT / ".claude-plugin" / "icon.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:24]) == (512, 512)


def test_the_checkouts_own_commands_are_the_plugins() -> None:
    link = ROOT / ".claude" / "commands" / "rl"
    assert link.is_symlink() and link.resolve() == ROOT / "commands"
    assert (ROOT / ".claude" / "CLAUDE.md").read_text() == "@../AGENTS.md\n"


def test_a_monitor_is_armed_by_each_command_that_starts_a_run() -> None:
    monitors = read_json("monitors/monitors.json")
    # Without the plugin's name Claude Code 2.1.329 never arms it; and it gives a monitor no folder by itself.
    assert [monitor["when"] for monitor in monitors] == [
        "on-skill-invoke:rl:run",
        "on-skill-invoke:rl:resume",
    ]
    for monitor in monitors:
        assert monitor["command"].endswith('"${CLAUDE_PLUGIN_ROOT}/scripts/watch"')
        assert 'CLAUDE_PLUGIN_DATA="${CLAUDE_PLUGIN_DATA}"' in monitor["command"]
        assert monitor["command"].startswith("LIVERL_SESSION_PID=$PPID ")


def test_there_is_one_command_a_verb_and_none_for_a_verb_that_does_not_exist() -> None:
    assert {path.stem for path in COMMANDS} == {
        "check",
        "run",
        "resume",
        "status",
        "diagnose",
        "triage",
        "logs",
        "trials",
        "stop",
        "clean",
        "setup",
    }


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_command_is_short_and_allows_only_tools_that_read(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 40
    matter = front(path)
    assert matter.get("disable-model-invocation", False) == (path.stem in CHANGING)
    allowed = matter["allowed-tools"].split() if path.stem != "setup" else []
    # Write-ups are read as files.
    may = {*READING, "Read"} if path.stem in ("diagnose", "triage") else set(READING)
    assert {tool.removeprefix(PREFIX) for tool in allowed} <= may
    assert path.stem == "setup" or set(re.findall(rf"{PREFIX}(\w+)", path.read_text())) <= {*READING, *ACTING}


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_follows_the_agent_skills_specification(path: Path) -> None:
    matter = front(path)
    assert matter["name"] == path.parent.name and re.fullmatch(r"[a-z0-9-]{1,64}", matter["name"])
    assert 0 < len(matter["description"]) <= 1024
    assert set(matter) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    text = path.read_text()
    assert len(text.splitlines()) < 500
    assert [name for name in re.findall(r"\]\(([^)]+)\)", text) if not (path.parent / name).exists()] == []


def test_the_states_that_the_skill_explains_are_those_of_status() -> None:
    rows = (ROOT / "skills" / "operate-run" / "references" / "states.md").read_text().split("## Resume")[0]
    states = re.findall(r"^\| (\w+) \|", rows, re.MULTILINE)[1:]
    assert states == [
        "starting",
        "training",
        "validating",
        "stalled",
        "stopping",
        "finished",
        "stopped",
        "failed",
        "dead",
        "unreachable",
    ]


def test_the_metrics_that_the_skill_explains_exist() -> None:
    """Ours are counted by the record; verl's are named as verl 0.9.1 logs them."""
    text = (ROOT / "skills" / "read-metrics" / "references" / "metrics.md").read_text()
    ours = set(re.findall(r"`(trial/[a-z_/]+)`", text))
    source = (ROOT / "liverl" / "record" / "metrics.py").read_text()
    names = {part for key in ours for part in key.split("/")[1:]} - {
        "val",
        "mean",
        "std",
        "max",
        "outcome",
        "seconds",
    }
    from_sampler = {"groups_dropped"}
    assert names - from_sampler <= set(re.findall(r"[a-z_]+", source))
    assert "trial/groups_dropped" in (ROOT / "liverl" / "engine" / "sampler.py").read_text()


def test_the_control_planes_packages_are_pinned_as_the_whole_set_is() -> None:
    pins = set((ROOT / "requirements.txt").read_text().splitlines())
    control = [
        line for line in (ROOT / "requirements-control.txt").read_text().splitlines() if line[:1] != "#"
    ]
    assert set(control) <= pins
    assert {"mcp", "pydantic", "pyyaml", "rich", "psutil"} <= {line.split("==")[0] for line in control}


def test_agents_are_told_every_tool_and_every_command() -> None:
    text = (ROOT / "AGENTS.md").read_text()
    assert [tool for tool in (*READING, *ACTING) if f"`{tool}`" not in text] == []
    assert [path.stem for path in COMMANDS if f"`/rl:{path.stem}`" not in text] == []
    assert len(text.splitlines()) < 80
