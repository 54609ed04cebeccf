"""A scripted Messages endpoint: a server on loopback whose model says what a test wants, whatever it is asked."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]
# What the model says in a turn: blocks, a status to refuse with, or anything that an endpoint may send.
Turn = Sequence[Block] | int | Callable[[BaseHTTPRequestHandler], None]


def use(tool: str, number: int = 1, /, **given: Any) -> Block:
    """The model asks for a tool."""
    return {"type": "tool_use", "id": f"toolu_{tool}_{number}", "name": tool, "input": given}


def sends(body: bytes, kind: str = "application/json") -> Callable[[BaseHTTPRequestHandler], None]:
    """The endpoint answers 200 with these bytes."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.end_headers()
        with contextlib.suppress(OSError):  # who has read enough goes
            handler.wfile.write(body)

    return send


def drips(handler: BaseHTTPRequestHandler) -> None:
    """The endpoint sends a byte now and then, and never ends."""
    handler.send_response(200)
    handler.end_headers()
    with contextlib.suppress(OSError):
        while not threading.Event().wait(0.2):
            handler.wfile.write(b" ")


def says(text: str) -> Block:
    """The model says something."""
    return {"type": "text", "text": text}


@dataclass
class Endpoint:
    """The server's address, and every request it got."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def results(self) -> list[dict[str, Any]]:
        """What the tools answered, in order."""
        last = self.requests[-1]["messages"]
        return [block for message in last if isinstance(message["content"], list) for block in message["content"]
                if block["type"] == "tool_result"]  # fmt: skip


@contextmanager
def scripted_messages(turn: Callable[[int], Turn]) -> Iterator[Endpoint]:
    """Serve the Messages API; `turn(n)` is what the model says at its n-th turn, from 0."""
    endpoint = Endpoint("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            said = turn(len(endpoint.requests))
            endpoint.requests.append(asked)
            if callable(said):
                said(self)
                return
            if isinstance(said, int):
                self._send(said, {"type": "error", "error": {"type": "api_error", "message": "not today"}})
                return
            usage = {"input_tokens": 1000, "output_tokens": 50}
            stop = "tool_use" if any(block["type"] == "tool_use" for block in said) else "end_turn"
            message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"]}
            self._send(
                200,
                {
                    **message,
                    "content": list(said),
                    "stop_reason": stop,
                    "stop_sequence": None,
                    "usage": usage,
                },
            )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
