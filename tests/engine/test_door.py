"""Waiting for LiteLLM, which the supervisor starts again."""

from __future__ import annotations

import asyncio

import pytest

from liverl.engine.door import door_again
from tests.e2e.site import free_ports


class ScriptedDoor:
    """Stands in for LiteLLM: says that it is alive, and counts who asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()


@pytest.mark.fault
async def test_trials_wait_together_until_the_door_answers_again() -> None:
    (port,) = free_ports(1)
    door, url = ScriptedDoor(), f"http://127.0.0.1:{port}"
    waits = [asyncio.create_task(door_again(url, 60.0)) for _ in range(20)]
    await asyncio.sleep(0.2)
    assert not any(wait.done() for wait in waits)
    async with await asyncio.start_server(door.answer, "127.0.0.1", port):
        assert await asyncio.gather(*waits) == [True] * 20
        assert door.asked == 1
        assert await door_again(url, 60.0)
        assert door.asked == 2


@pytest.mark.fault
async def test_a_door_that_never_answers_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    (port,) = free_ports(1)
    assert not await door_again(f"http://127.0.0.1:{port}", 0.3)
    assert "gateway.door_not_listening" in caplog.text
