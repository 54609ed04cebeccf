"""What the guard refuses before anything behind it sees the request."""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from typing import Any

import httpx
import pytest

from liverl.gateway.guard import MAX_BODY_BYTES, Guard
from liverl.gateway.token import sign

from .chat_model import KEY


@pytest.mark.parametrize(("size", "status"), [(MAX_BODY_BYTES // 2, 200), (MAX_BODY_BYTES, 413)])
async def test_a_body_has_a_largest_size(size: int, status: int) -> None:
    seen: list[int] = []

    async def behind(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        seen.append(len((await receive())["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    token = sign(KEY, "trial", "http://127.0.0.1:1", time.time() + 60)
    transport = httpx.ASGITransport(app=Guard(behind, KEY, "policy"))
    async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
        response = await client.post(
            "/v1/chat/completions",
            json={"messages": [{"role": "user", "content": "x" * size}]},
            headers={"authorization": f"Bearer {token}"},
        )
    assert response.status_code == status
    assert len(seen) == (status == 200)
