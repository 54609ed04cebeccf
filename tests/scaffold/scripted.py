"""A model endpoint that answers from a script: OpenAI chat completions over HTTP on a free port."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any


def calls(*commands: str) -> dict[str, Any]:
    """An answer that calls bash once for each command."""
    tool_calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        for number, command in enumerate(commands)
    ]
    return choice({"role": "assistant", "content": "", "tool_calls": tool_calls}, "tool_calls")


def says(text: str, finish_reason: str = "stop") -> dict[str, Any]:
    """An answer without a tool call."""
    return choice({"role": "assistant", "content": text}, finish_reason)


def choice(message: dict[str, Any], finish_reason: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


class ScriptedModel:
    """Answers the n-th call with the n-th item of `script` (the last for all further ones): a body, or a pair
    of an HTTP status and a body. `asked` holds each request's body, `tokens` its bearer."""

    def __init__(self, *script: dict[str, Any] | tuple[int, Any]) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.tokens: list[str] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[ScriptedModel]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        yield self
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        assert head.startswith("POST /v1/chat/completions ")
        item = self.script[min(len(self.asked), len(self.script) - 1)]
        self.asked.append(body)
        self.tokens.append(headers.get("authorization", ""))
        status, answer = item if isinstance(item, tuple) else (200, item)
        content = json.dumps(answer).encode()
        writer.write(
            f"HTTP/1.1 {status} X\r\ncontent-length: {len(content)}\r\nconnection: close\r\n\r\n".encode()
        )
        writer.write(content)
        await writer.drain()
        writer.close()
