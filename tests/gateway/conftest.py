"""One gateway a test over a scripted replica, and one LiteLLM for all tests of the room."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn
from transformers import PreTrainedTokenizerFast

from liverl.gateway.door import KEY_VARIABLE, door_ready
from liverl.gateway.server import Gateway, GatewayServer, Sampling, SessionRecord

from .chat_model import BASH, KEY, ScriptedReplica, small_tokenizer


@dataclass
class Room:
    """A started gateway, its replica, and an HTTP client for it."""

    gateway: Gateway
    replica: ScriptedReplica
    client: httpx.AsyncClient

    def open(self, name: str = "trial", *turns: str | Exception, **options: Any) -> str:
        self.replica.script(name, *turns)
        options.setdefault("max_response_tokens", 4000)
        options.setdefault("sampling", Sampling(temperature=0.7, top_p=0.9, top_k=20))
        return self.gateway.open_session(name, **options)

    async def post(self, token: str, messages: list[Any], **body: Any) -> httpx.Response:
        body.setdefault("tools", [BASH])
        return await self.client.post(
            "/v1/chat/completions",
            json={"model": "policy", "messages": messages, **body},
            headers={"authorization": f"Bearer {token}"},
        )

    async def turn(self, token: str, messages: list[Any], **body: Any) -> dict[str, Any]:
        """The next answer's message, appended to the messages too."""
        response = await self.post(token, messages, **body)
        assert response.status_code == 200, response.text
        message: dict[str, Any] = response.json()["choices"][0]["message"]
        messages.append(message)
        return message

    def close(self, name: str = "trial") -> SessionRecord:
        return self.gateway.close_session(name)


@pytest.fixture(scope="session")
def tokenizer() -> PreTrainedTokenizerFast:
    return small_tokenizer()


@pytest.fixture
async def start_room() -> AsyncIterator[Callable[..., Any]]:
    """Starts rooms; all are stopped after the test."""
    rooms: list[Room] = []

    async def start(tokenizer: PreTrainedTokenizerFast, **options: Any) -> Room:
        replica = ScriptedReplica(tokenizer)
        options.setdefault("max_model_len", 8000)
        gateway = Gateway(replica.generate, tokenizer, tool_parser="hermes", key=KEY, **options)
        url = await gateway.start()
        rooms.append(Room(gateway, replica, httpx.AsyncClient(base_url=url, trust_env=False, timeout=30)))
        return rooms[-1]

    yield start
    for room in rooms:
        await room.client.aclose()
        await room.gateway.stop()


@pytest.fixture
async def room(start_room: Callable[..., Any], tokenizer: PreTrainedTokenizerFast) -> Room:
    started: Room = await start_room(tokenizer)
    return started


@dataclass(frozen=True)
class Door:
    """A running LiteLLM; `ready_s` is what it took to answer."""

    url: str
    pid: int
    ready_s: float
    log: Any


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """LiteLLM behind the guard, as the supervisor starts it."""
    work = tmp_path_factory.mktemp("door")
    port = free_port()
    command = [sys.executable, "-m", "liverl.gateway.door", "--port", str(port), "--work", str(work)]
    log = work / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env={**os.environ, KEY_VARIABLE: KEY.hex()}, stdout=output, stderr=subprocess.STDOUT
        )
    url = f"http://127.0.0.1:{port}"
    try:
        yield Door(url, process.pid, asyncio.run(door_ready(url, 120)), log)
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Any]]:
    """Serves ASGI applications on ports of their own until the test ends."""
    running: list[tuple[GatewayServer, asyncio.Task[None]]] = []

    async def start(app: Any) -> str:
        port = free_port()
        server = GatewayServer(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))
        running.append((server, asyncio.create_task(server.serve())))
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(retries=10), trust_env=False
        ) as client:
            await client.get(url)
        return url

    yield start
    for server, task in running:
        server.should_exit = True
        await task
