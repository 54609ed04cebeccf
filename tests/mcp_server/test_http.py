"""The server over HTTP on loopback: only with the token."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from liverl.errors import RunError
from mcp_server.http import token
from tests.e2e.site import REPOSITORY, free_ports

SECRET = "a-long-enough-token-for-tests"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that runs in an empty folder."""
    (port,) = free_ports(1)
    folder = tmp_path_factory.mktemp("http")
    server = subprocess.Popen(
        [sys.executable, "-m", "liverl.cli", "mcp", "--http", "--port", str(port)],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "LIVERL_MCP_TOKEN": SECRET,
            "XDG_STATE_HOME": str(folder),
        },
        stdin=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    server.send_signal(signal.SIGTERM)
    server.wait(10)


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"authorization": SECRET}])
def test_a_request_without_the_token_is_refused(url: str, headers: dict[str, str]) -> None:
    answer = httpx.post(
        url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers, trust_env=False
    )
    assert answer.status_code == 401 and "LIVERL_MCP_TOKEN" in answer.text and SECRET not in answer.text


async def test_a_client_with_the_token_lists_the_tools(url: str) -> None:
    headers = {"authorization": f"Bearer {SECRET}"}
    async with (
        httpx.AsyncClient(headers=headers, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        assert len((await client.list_tools()).tools) == 12


def test_a_short_token_is_refused_and_a_missing_one_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LIVERL_MCP_TOKEN", "short")
    with pytest.raises(RunError, match="fewer than"):
        token()
    monkeypatch.delenv("LIVERL_MCP_TOKEN")
    made, is_new = token()
    assert is_new and len(made) >= 32
