"""Verbs' results and errors as MCP results: one flat JSON object, compact, without nulls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from liverl.operate.answer import Answer


class Said(BaseModel):
    """What every tool answers; the rest of its fields stand beside these."""

    model_config = ConfigDict(extra="allow")

    ok: bool = Field(description="false: refused, failed, or would not work")
    summary: str = Field(description="all of it in one line")
    next: str = Field(default="", description="the one next action")


# The same JSON as text and as structured content: some hosts read the one, some the other.
Result = Annotated[CallToolResult, Said]


def told(answer: Answer) -> CallToolResult:
    """A verb's answer."""
    from liverl.operate.answer import as_json

    return plain(as_json(answer))


def plain(row: dict[str, Any]) -> CallToolResult:
    """A JSON object as a result."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=row)


@contextmanager
def telling() -> Iterator[None]:
    """Within it an error of ours reaches the model with its evidence and next action, not as a bare failure."""
    from liverl.errors import LiveRLError

    try:
        yield
    except LiveRLError as error:
        then = error.next_action or "look with status; nothing was changed"
        parts = [error.message, f"Seen: {error.evidence}." if error.evidence else "", f"Next: {then}"]
        raise ToolError(" ".join(part for part in parts if part) + f" [{error.code}]") from error
    except ImportError as error:  # the plugin's own environment, before a project has one
        raise ToolError(
            f"A package is not installed here: {error.name}. "
            "Next: /rl:setup, or bash scripts/setup_env.sh [setup.packages]"
        ) from error
    except OSError as error:
        raise ToolError(
            f"A file could not be read or written: {error}. Next: check the disk and rights."
        ) from error
