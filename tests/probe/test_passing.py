"""What comes back otherwise than it was said is named by the link that changed it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from liverl.gateway.calls import SessionRecord
from liverl.gateway.server import Gateway, GatewayServer
from liverl.probe.conversation import ARGUMENTS, MESSAGES, NAME, tool_turn, write_turn
from liverl.probe.passing import Script, ask_both, judge_anthropic
from liverl.probe.scripted_replica import ScriptedReplica
from liverl.record.trajectory import Segment
from tests.gateway.chat_model import KEY, small_tokenizer

Change = Callable[[dict[str, Any]], None]
Links = Callable[..., Any]


def spell() -> list[int]:
    """A tool call in the small tokenizer's tokens, its end included."""
    tokenizer = small_tokenizer()
    end = tokenizer.eos_token_id
    written = write_turn(tokenizer, MESSAGES, tool_turn(), frozenset([end]))
    return [*tokenizer(written.text, add_special_tokens=False)["input_ids"], end]


@pytest.fixture
async def links() -> AsyncIterator[Links]:
    """The broken links where a scripted door in LiteLLM's place changes each answer of a real gateway."""
    script = Script("named", spell())
    replica = ScriptedReplica(script.token_ids)
    gateway = Gateway(
        replica.generate,
        small_tokenizer(),
        tool_parser="hermes",
        key=KEY,
        max_model_len=4000,
        model_name="named",
    )
    await gateway.start()
    ends: list[tuple[GatewayServer, asyncio.Task[None]]] = []

    async def ask(change: Change, status: int = 200) -> dict[str, str]:
        async def forward(request: Request) -> JSONResponse:
            headers = {"authorization": request.headers["authorization"]}
            async with httpx.AsyncClient(base_url=gateway.url, trust_env=False) as client:
                sent = await request.json()
                told = (await client.post("/v1/chat/completions", json=sent, headers=headers)).json()
            change(told)
            return JSONResponse(told, status_code=status)

        listener = socket.create_server(("127.0.0.1", 0))
        app = Starlette(routes=[Route("/v1/chat/completions", forward, methods=["POST"])])
        server = GatewayServer(uvicorn.Config(app, log_level="warning", lifespan="off"))
        ends.append((server, asyncio.create_task(server.serve(sockets=[listener]))))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        rows = await ask_both(gateway, url, script)
        return {row["link"]: row["seen"] for row in rows if "OpenAI" in row["seen"]}

    yield ask
    for server, task in ends:
        server.should_exit = True
        await task
    await gateway.stop()


async def test_what_comes_back_as_it_was_said_breaks_no_link(links: Links) -> None:
    assert await links(lambda told: None) == {}


async def test_another_name_is_named(links: Links) -> None:
    broken = await links(lambda told: told.update(model="policy"))
    assert list(broken) == ["model_name"]
    assert "asked for 'named', answered by 'policy'" in broken["model_name"]


async def test_a_tool_call_that_was_lost_or_changed_is_told(links: Links) -> None:
    lost = await links(lambda told: told["choices"][0]["message"].pop("tool_calls"))
    assert list(lost) == ["tool_call"]
    assert "arrived: []" in lost["tool_call"]

    def rewrite(told: dict[str, Any]) -> None:
        told["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '{"command": "rm"}'

    assert list(await links(rewrite)) == ["tool_call"]


async def test_token_ids_that_are_not_those_recorded_are_told(links: Links) -> None:
    broken = await links(lambda told: told["choices"][0].update(token_ids=[1, 2, 3]))
    assert list(broken) == ["token_ids"]
    assert "answered [1, 2, 3], recorded" in broken["token_ids"]


async def test_a_refusal_and_an_answer_of_another_form_are_litellms(links: Links) -> None:
    refused = await links(lambda told: None, status=500)
    assert "HTTP 500" in refused["litellm"]
    strange = await links(lambda told: told.pop("choices"))
    assert "another form" in strange["litellm"]


async def test_a_replica_that_fails_is_told_as_such() -> None:
    async def scripted_failure(*_: object) -> Any:
        raise RuntimeError("no weights")

    options = {"tool_parser": "hermes", "key": KEY, "max_model_len": 4000, "model_name": "named"}
    gateway = Gateway(scripted_failure, small_tokenizer(), **options)
    url = await gateway.start()
    try:
        rows = await ask_both(gateway, url, Script("named", [1]))
    finally:
        await gateway.stop()
    assert rows[0]["link"] == "replica"
    assert "no weights" in rows[0]["seen"]


def anthropic(**changed: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": "call_0", "name": NAME, "input": ARGUMENTS}
    return {
        "model": "named",
        "content": [block],
        "usage": {"input_tokens": 3, "output_tokens": 2},
    } | changed


def recorded(ids: list[int]) -> SessionRecord:
    segment = Segment([5, 6, 7], ids, [1] * len(ids), [0.0] * len(ids))
    return SessionRecord("s", [segment], [], [], [], [], "", [])


@pytest.mark.parametrize(
    ("answer", "ids", "links"),
    [
        (anthropic(), [8, 1], []),
        (anthropic(model="policy"), [8, 1], ["model_name"]),
        (anthropic(content=[{"type": "text", "text": json.dumps(ARGUMENTS)}]), [8, 1], ["tool_call"]),
        (anthropic(usage={"input_tokens": 4, "output_tokens": 2}), [8, 1], ["token_ids"]),
        (anthropic(), [8, 2], ["token_ids"]),
    ],
    ids=["as it was said", "another name", "text instead of a call", "other counts", "other ids"],
)
def test_anthropics_protocol_is_judged_by_name_call_and_counts(
    answer: dict[str, Any], ids: list[int], links: list[str]
) -> None:
    found = judge_anthropic(answer, recorded(ids), Script("named", [8, 1]))
    assert [link for link, _ in found] == links
