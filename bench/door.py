"""A LiteLLM of one's own for a measurement outside a run, and the ports that it and runs can have."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from liverl.run.environment import FIXED


def free_ports(count: int) -> list[int]:
    """So many different ports on which nothing listens now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


@contextlib.contextmanager
def open_door(work: Path) -> Iterator[str]:
    """Start LiteLLM with its files in `work`; gives its address and sets LIVERL_DOOR_URL and LIVERL_DOOR_KEY here."""
    port = free_ports(1)[0]
    url = f"http://127.0.0.1:{port}"
    os.environ.update(FIXED, LIVERL_DOOR_URL=url, LIVERL_DOOR_KEY=secrets.token_hex(32))
    command = [sys.executable, "-m", "liverl.gateway.door", "--port", str(port), "--work", str(work)]
    with (work / "door.log").open("wb") as log:
        door = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield url
    finally:
        door.terminate()
        try:
            door.wait(timeout=10)
        except subprocess.TimeoutExpired:
            door.kill()
            door.wait()
