"""An in-memory MCP client, a person who answers its questions as told, and runs to look at."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult

from mcp_server.server import make_server
from tests.operate.made import Made, made

__all__ = ["made"]


@dataclass
class ScriptedPerson:
    """Answers every question the same way, and remembers what was asked."""

    answer: ElicitResult
    asked: list[str] = field(default_factory=list)

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        """Answer a question."""
        self.asked.append(params.message)
        return self.answer


YES = ElicitResult(action="accept", content={"yes": True})
UNCHECKED = ElicitResult(action="accept", content={"yes": False})
DECLINED = ElicitResult(action="decline")
CANCELLED = ElicitResult(action="cancel")


@dataclass(frozen=True)
class Speaker:
    """A client, and its answers as plain JSON."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's structured answer; fails the test where it is an error."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult) and not result.is_error, result
        assert result.structured_content is not None
        return result.structured_content

    async def error(self, tool: str, **arguments: Any) -> str:
        """The text of the error that a tool answers with."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult) and result.is_error, result
        return "".join(part.text for part in result.content if part.type == "text")


Connect = Callable[..., AbstractAsyncContextManager[Speaker]]


@pytest.fixture
def connect() -> Connect:
    """Connects a client; with a person only where one is given."""

    @asynccontextmanager
    async def connected(person: ScriptedPerson | None = None, mode: str = "auto") -> AsyncIterator[Speaker]:
        async with Client(make_server(), elicitation_callback=person, mode=mode) as client:  # type: ignore[arg-type]
            yield Speaker(client)

    return connected


@pytest.fixture
def here(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder: `made` puts runs into it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return tmp_path


def tokens(answer: Any) -> float:
    """The size of an answer as the model pays for it: UTF-8 bytes of compact JSON by 3.5."""
    return len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) / 3.5
