"""The one way out of a sandbox: its 127.0.0.1:PORT leads to one address of the host, and nowhere else.

A short-lived child makes the listening socket in the sandbox's network and hands it over; what serves it is
this process's event loop, so nothing stays behind and the sandbox holds no route.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import os
import socket
import sys

from liverl.errors import SandboxError
from liverl.sandbox.holder import Holder
from liverl.sandbox.process import run_process

_CHUNK_BYTES = 65536
_LISTEN = """
import array, socket, sys
sock = socket.socket()
sock.bind(("127.0.0.1", int(sys.argv[2])))
sock.listen(64)
pair = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=int(sys.argv[1]))
pair.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sock.fileno()]))])
"""


class Door:
    """A relay from inside one sandbox to `host:port`."""

    def __init__(self, server: asyncio.Server, host: str, port: int) -> None:
        self._server = server
        self._host = host
        self._port = port
        self._open: set[asyncio.Task[None]] = set()

    @classmethod
    async def open(cls, holder: Holder, address: str) -> Door:
        """Let the sandbox reach `address` ("host:port") as 127.0.0.1:port. Raises `SandboxError`."""
        host, _, port = address.rpartition(":")
        listener = await _listener_inside(holder, int(port))
        door: Door

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await door._relay(reader, writer)

        door = cls(await asyncio.start_server(serve, sock=listener), host, int(port))
        return door

    async def close(self) -> None:
        """Close the door and every connection through it."""
        self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with contextlib.suppress(OSError):
                out_reader, out_writer = await asyncio.open_connection(self._host, self._port)
                try:
                    await asyncio.gather(_pump(reader, out_writer), _pump(out_reader, writer))
                finally:
                    out_writer.close()
        finally:
            writer.close()
            self._open.discard(task)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.write_eof()


async def _listener_inside(holder: Holder, port: int) -> socket.socket:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            argv = [sys.executable, "-I", "-S", "-c", _LISTEN, str(theirs.fileno()), str(port)]
            done = await run_process(
                holder.door_argv(argv), env=os.environ, pass_fds=(theirs.fileno(),), timeout_s=30.0
            )
        if done.return_code != 0:
            raise SandboxError(
                "sandbox.door",
                f"The sandbox can't be given its way to port {port}.",
                evidence=done.stderr.decode(errors="replace").strip()[-500:],
            )
        _, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4))
    fds = array.array("i")
    for _, _, data in ancillary:
        fds.frombytes(data[:4])
    return socket.socket(fileno=fds[0])
