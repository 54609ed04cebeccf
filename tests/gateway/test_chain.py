from __future__ import annotations

from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from liverl.errors import GatewayError
from liverl.gateway.chain import check_chain
from liverl.gateway.server import Gateway, Generation

from .chat_model import KEY
from .conftest import Door, free_port


class ScriptedHello:
    """A stand-in for the replica that always says the same, or always fails."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    async def generate(self, session: str, prompt_ids: list[int], params: dict[str, Any]) -> Generation:
        if self.failure:
            raise self.failure
        return Generation([70, 71, 1], [-0.1, -0.2, -0.3], "stop", 0)


async def make_gateway(tokenizer: Any, key: bytes = KEY, failure: Exception | None = None) -> Gateway:
    gateway = Gateway(
        ScriptedHello(failure).generate, tokenizer, tool_parser="hermes", key=key, max_model_len=1000
    )
    await gateway.start()
    return gateway


@pytest.mark.claude
async def test_a_whole_chain_passes_by_both_protocols(door: Door, tokenizer: Any) -> None:
    gateway = await make_gateway(tokenizer)
    record = await check_chain(gateway, door.url)
    assert [segment.response_ids for segment in record.segments] == [[70, 71, 1]] * 2
    await gateway.stop()


async def test_a_door_that_does_not_listen_is_named(tokenizer: Any) -> None:
    gateway = await make_gateway(tokenizer)
    with pytest.raises(GatewayError, match=r"gateway\.door_not_listening"):
        await check_chain(gateway, f"http://127.0.0.1:{free_port()}", ready_timeout_s=0.2)
    await gateway.stop()


async def test_a_door_with_another_key_is_named(door: Door, tokenizer: Any) -> None:
    gateway = await make_gateway(tokenizer, key=bytes(32))
    with pytest.raises(GatewayError, match=r"gateway\.chain_refused(.|\n)*LIVERL_DOOR_KEY"):
        await check_chain(gateway, door.url)
    await gateway.stop()


async def test_a_failing_replica_is_named(door: Door, tokenizer: Any) -> None:
    gateway = await make_gateway(tokenizer, failure=RuntimeError("no weights"))
    with pytest.raises(GatewayError, match=r"gateway\.chain_engine(.|\n)*no weights"):
        await check_chain(gateway, door.url)
    await gateway.stop()


async def test_a_gateway_that_litellm_cannot_reach_is_named(door: Door, tokenizer: Any) -> None:
    gateway = await make_gateway(tokenizer)
    gateway.url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(GatewayError, match=r"gateway\.chain_upstream"):
        await check_chain(gateway, door.url)
    await gateway.stop()


async def test_something_else_in_litellms_place_is_named(tokenizer: Any, serve: Any) -> None:
    def answer(request: Request) -> Response:
        message = {"role": "assistant", "content": "hello"}
        choices = [{"message": message, "token_ids": [70, 71, 1]}]
        usage = {"input_tokens": 3, "output_tokens": 3}
        return JSONResponse({"choices": choices, "prompt_token_ids": [0], "usage": usage})

    methods = ["GET", "POST"]
    url = await serve(Starlette(routes=[Route("/{path:path}", answer, methods=methods)]))
    gateway = await make_gateway(tokenizer)
    with pytest.raises(GatewayError, match=r"gateway\.chain_upstream(.|\n)*0 of 2 calls"):
        await check_chain(gateway, url)
    await gateway.stop()


async def test_ids_that_differ_from_the_recorded_ones_are_named(tokenizer: Any, serve: Any) -> None:
    gateway = await make_gateway(tokenizer)

    async def forward(request: Request) -> Response:
        body = await request.json()
        token = request.headers.get("x-api-key") or request.headers["authorization"].removeprefix("Bearer ")
        async with httpx.AsyncClient(trust_env=False) as client:
            headers = {"authorization": f"Bearer {token}"}
            url = f"{gateway.url}/v1/chat/completions"
            answer = (await client.post(url, json=body, headers=headers)).json()
        answer["choices"][0]["token_ids"] = [9, 9, 9]
        return JSONResponse({**answer, "usage": {"input_tokens": 1, "output_tokens": 3}})

    routes = [
        Route("/health/liveliness", lambda request: JSONResponse("alive")),
        Route("/{path:path}", forward, methods=["POST"]),
    ]
    url = await serve(Starlette(routes=routes))
    with pytest.raises(GatewayError, match=r"gateway\.chain_ids"):
        await check_chain(gateway, url)
    await gateway.stop()
