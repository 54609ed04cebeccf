"""The MCP server over HTTP, behind a door that adds the token which the official tools can't send."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.plugin.claude import ROOT

TOKEN = "a-token-of-the-test-only"
_LIMIT_S = 30.0


@contextlib.asynccontextmanager
async def served(project: Path, home: Path) -> AsyncIterator[tuple[str, str]]:
    """`liverl mcp --http` of a project: the address behind the door, and the server's own, which wants the token."""
    port = free_port()
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "liverl.cli", "mcp", "--http", "--port", str(port),
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LIVERL_MCP_TOKEN": TOKEN, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    try:
        async with asyncio.timeout(_LIMIT_S):
            while not await _is_open(port):
                assert server.returncode is None
                await asyncio.sleep(0.05)
        door = await asyncio.start_server(lambda *ends: _let_in(port, *ends), "127.0.0.1", 0)
        yield f"http://127.0.0.1:{door.sockets[0].getsockname()[1]}/mcp", f"http://127.0.0.1:{port}/mcp"
        door.close()
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.terminate()
        await server.wait()


def free_port() -> int:
    """A port of loopback that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def _is_open(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def _let_in(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request a connection: its head with the token, all else as it comes, in both directions."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        first, _, rest = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        kept = [line for line in rest.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
        own = [b"Connection: close", b"Authorization: Bearer " + TOKEN.encode()]
        inner, outer = await asyncio.open_connection("127.0.0.1", port)
        outer.write(b"\r\n".join([first, *kept, *own]) + b"\r\n\r\n")
        up = asyncio.create_task(_pump(reader, outer))
        await _pump(inner, writer)
        up.cancel()
        outer.close()
    writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
