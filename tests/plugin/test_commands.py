"""Every slash command expands in the real Claude Code, and brings along what it may use without asking."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.plugin.claude import ACTING, PREFIX, READING, ROOT, Heard, bash, call, says, talk

pytestmark = pytest.mark.claude
COMMANDS = sorted(path.stem for path in (ROOT / "commands").glob("*.md"))


def body(name: str) -> str:
    """A command's text below its front matter, as it stands in the file."""
    return (ROOT / "commands" / f"{name}.md").read_text().split("---\n", 2)[2].strip()


def expanded(name: str, arguments: str, project: Path) -> str:
    """What the model has to be shown of a command."""
    text = body(name).replace("$ARGUMENTS", arguments)
    return text.replace("${CLAUDE_PLUGIN_ROOT}", str(ROOT)).replace("${CLAUDE_PROJECT_DIR}", str(project))


async def test_every_command_expands_and_an_unknown_one_stays_plain_text(binary: Path, project: Path) -> None:
    arguments = {name: f"one two={name}" if "$ARGUMENTS" in body(name) else "" for name in COMMANDS}
    typed = [f"/rl:{name} {arguments[name]}".strip() for name in COMMANDS]
    heard = await talk(binary, project, [*typed, "/rl:nonsense it"], [says("Well.")])
    shown = heard.prompts()
    assert len(shown) == len(COMMANDS) + 1
    for name, texts in zip(COMMANDS, shown, strict=False):
        assert texts[0].startswith(f"<command-message>rl:{name}</command-message>")
        assert texts[1].strip() == expanded(name, arguments[name], project)
    assert shown[-1] == ["/rl:nonsense it"]
    assert_loaded(heard)


def assert_loaded(heard: Heard) -> None:
    assert [(one["name"], one["status"]) for one in heard.init["mcp_servers"]] == [
        ("plugin:rl:liverl", "connected")
    ]
    ours = {name for name in heard.init["slash_commands"] if name.startswith("rl:")}
    assert ours == {f"rl:{name}" for name in (*COMMANDS, "operate-run", "read-metrics")}
    tools = {name.removeprefix(PREFIX) for name in heard.init["tools"] if name.startswith(PREFIX)}
    assert tools == {*READING, *ACTING}


@pytest.mark.parametrize("plugin", [None, ROOT], ids=["without the plugin", "with the plugin"])
async def test_a_checkout_has_every_command_once(binary: Path, plugin: Path | None, tmp_path: Path) -> None:
    heard = await talk(binary, ROOT, ["/rl:check"], [says("Well.")], plugin=plugin, home=tmp_path)
    ours = sorted(name for name in heard.init["slash_commands"] if name.removeprefix("rl:") in COMMANDS)
    assert [name for name in ours if name.startswith("rl:")] == [f"rl:{name}" for name in COMMANDS]
    assert heard.prompts()[-1][1].strip().startswith(expanded("check", "", ROOT)[:200])


async def test_the_model_can_start_none_of_the_commands_that_change_something(
    binary: Path, project: Path
) -> None:
    heard = await talk(binary, project, ["hello"], [says("Well.")])
    listed = str(heard.asked[0]["messages"])
    assert "rl:check" in listed
    assert [name for name in ("run", "resume", "stop", "clean", "setup") if f"- rl:{name}:" in listed] == []


def make_ready(project: Path) -> None:
    """The project's environment, as far as setup_env.sh looks: there, and current."""
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    pins = (ROOT / "requirements.txt").read_bytes() + (ROOT / "pyproject.toml").read_bytes()
    (project / ".venv" / ".liverl-stamp").write_text(f"{hashlib.sha256(pins).hexdigest()} {ROOT}\n")


async def test_a_command_may_use_what_it_needs_without_asking_and_nothing_else(
    binary: Path, project: Path
) -> None:
    make_ready(project)
    setup = f'bash "{ROOT}/scripts/setup_project.sh" "{project}"'
    heard = await talk(
        binary,
        project,
        ["/rl:status", "/rl:setup", "hello"],
        [
            [call("status"), call("preflight")], says("None."),
            [bash(setup), bash("touch made")], says("Done."),
            [call("status")], says("Well."),
        ],
        "--permission-mode", "default",
    )  # fmt: skip
    status, ready, hello = heard.answered
    assert "There is no run yet" in status.results[0]
    assert status.denied == ("preflight",)
    assert f"ready: {project}" in ready.results[0]
    assert ready.denied == ("Bash",)
    assert (project / "config.yaml").read_text() == (ROOT / "config.yaml").read_text()
    assert (project / "tasks" / "val").is_dir() and not (project / "made").exists()
    assert hello.denied == ("status",)
