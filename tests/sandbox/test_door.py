"""The one way out of a sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.sandbox.conftest import Start

pytestmark = pytest.mark.sandbox


@pytest.fixture
async def ports() -> AsyncIterator[list[int]]:
    """Two local HTTP servers; each says its own port, then a megabyte."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        port = writer.get_extra_info("sockname")[1]
        writer.write(f"HTTP/1.0 200 OK\r\n\r\n{port}".encode() + b"." * (1 << 20))
        await writer.drain()
        writer.close()

    servers = [await asyncio.start_server(answer, "127.0.0.1", 0) for _ in range(2)]
    yield [server.sockets[0].getsockname()[1] for server in servers]
    for server in servers:
        server.close()


def fetch(port: int, host: str = "127.0.0.1") -> str:
    body = f"urllib.request.urlopen('http://{host}:{port}/', timeout=5).read()"
    return f"python3 -c \"import urllib.request; b = {body}; print(b[:9].strip(b'.').decode(), len(b))\""


async def test_the_door_is_reached_at_its_port_and_nothing_else_is(start: Start, ports: list[int]) -> None:
    sandbox = await start(door=f"127.0.0.1:{ports[0]}")
    through = await sandbox.exec(fetch(ports[0]))
    assert (through.stdout or "").split()[0] == str(ports[0])
    assert int((through.stdout or "").split()[1]) > 1 << 20
    assert (await sandbox.exec(fetch(ports[1]))).return_code != 0
    assert (await sandbox.exec(fetch(80, "1.1.1.1"))).return_code != 0


async def test_many_connections_go_through_at_once(start: Start, ports: list[int]) -> None:
    sandbox = await start(door=f"127.0.0.1:{ports[0]}")
    loop = f"for i in $(seq 8); do {fetch(ports[0])} & done; wait"
    assert len(((await sandbox.exec(loop, timeout_sec=30)).stdout or "").splitlines()) == 8


async def test_a_door_to_nowhere_refuses(start: Start, ports: list[int]) -> None:
    sandbox = await start(door="127.0.0.1:1")
    assert (await sandbox.exec(fetch(1))).return_code != 0


async def test_each_sandbox_has_its_own_door(start: Start, ports: list[int]) -> None:
    first = await start(door=f"127.0.0.1:{ports[0]}")
    second = await start(door=f"127.0.0.1:{ports[1]}")
    assert (await first.exec(fetch(ports[1]))).return_code != 0
    assert (await second.exec(fetch(ports[1]))).return_code == 0
