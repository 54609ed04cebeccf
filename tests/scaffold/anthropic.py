"""A scripted endpoint of the Anthropic protocol, streaming, on a free port."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

type Blocks = list[dict[str, Any]]
type Scripted = Blocks | int | Callable[[dict[str, Any]], Blocks]


class ScriptedMessages:
    """Answers by how many assistant messages it is shown: `script[n]` is content blocks, or a status.

    It may also be a function that makes the blocks from the request's body; the last one answers all that follow.

    `asked` holds each request's body, `tokens` its bearer, `paths` its path.
    """

    def __init__(self, *script: Scripted) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.tokens: list[str] = []
        self.paths: list[str] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[ScriptedMessages]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        yield self
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {
            k.lower(): v for k, v in (line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
        }
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        self.asked.append(body)
        self.tokens.append(headers.get("authorization", ""))
        self.paths.append(head.split()[1])
        turn = sum(message["role"] == "assistant" for message in body.get("messages", []))
        item = self.script[min(turn, len(self.script) - 1)]
        if callable(item):
            item = item(body)
        if isinstance(item, int):
            answer = json.dumps({"type": "error", "error": {"type": "api_error", "message": "broken"}})
            kind, status = "application/json", item
        else:
            answer, kind, status = _stream(item, turn), "text/event-stream", 200
        writer.write(
            f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{answer}".encode()
        )
        await writer.drain()
        writer.close()


def _stream(blocks: list[dict[str, Any]], turn: int) -> str:
    message = {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "model": "policy",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "id": f"toolu_{turn}_{index}", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    events.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 7},
        }
    )
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
