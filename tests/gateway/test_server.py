from __future__ import annotations

import asyncio
import json
import signal
import time
from typing import Any

import openai
import pytest

from liverl.errors import GatewayError
from liverl.gateway.server import Sampling
from liverl.gateway.token import sign

from .chat_model import BASH, KEY, ScriptedReplica, bash_call
from .conftest import Room

TASK = {"role": "user", "content": "the test fails"}


async def test_the_sessions_sampling_parameters_hold_and_the_agents_do_not(room: Room) -> None:
    token = room.open("trial", "done", max_tokens_per_turn=50)
    await room.turn(token, [TASK], temperature=0.0, top_p=0.1, top_k=1, stop=["o"], seed=1, max_tokens=70)
    _, _, params = room.replica.calls[0]
    expected = {"temperature": 0.7, "top_p": 0.9, "top_k": 20, "max_tokens": 50, "logprobs": True}
    assert params == expected


async def test_an_agent_may_ask_for_fewer_tokens(room: Room) -> None:
    token = room.open("trial", "a long answer", max_tokens_per_turn=50)
    response = await room.post(token, [TASK], max_completion_tokens=3)
    assert response.json()["choices"][0]["finish_reason"] == "length"
    assert response.json()["usage"]["completion_tokens"] == 3


async def test_only_an_open_sessions_own_token_is_served(room: Room, start_room: Any) -> None:
    token = room.open("trial", "done")
    other_room = await start_room(room.replica.tokenizer)
    other = other_room.open("trial", "done")
    soon = time.time() + 60
    forged = sign(bytes(32), "trial", room.gateway.url, soon)
    unknown = sign(KEY, "nobody", room.gateway.url, soon)
    expired = sign(KEY, "trial", room.gateway.url, time.time() - 1)
    for bad in (other, forged, unknown, expired, "sk-1234"):
        response = await room.post(bad, [TASK])
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "invalid_api_key"
    assert room.replica.calls == other_room.replica.calls == []
    assert (await room.post(token, [TASK])).status_code == 200


async def test_a_closed_session_is_closed(room: Room) -> None:
    token = room.open("trial", "done")
    room.close()
    assert (await room.post(token, [TASK])).status_code == 401
    with pytest.raises(GatewayError, match=r"gateway\.session_unknown"):
        room.close()


async def test_closing_a_session_gives_up_its_running_call(room: Room) -> None:
    room.replica.wait = asyncio.Event()
    token = room.open("trial", "done")
    asking = asyncio.create_task(room.post(token, [TASK]))
    await room.replica.asked(1)
    record = room.close()
    assert (await asking).status_code == 401
    assert record.calls == []
    assert record.engine_failure == ""


async def test_two_sessions_may_not_share_a_name(room: Room) -> None:
    room.open("trial")
    with pytest.raises(GatewayError, match=r"gateway\.session_exists"):
        room.open("trial")


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        ({"max_prompt_tokens": 20}, "prompt_length"),
        ({"max_response_tokens": 6}, "response_budget"),
    ],
)
async def test_what_exceeds_a_limit_is_refused_as_a_full_context(
    room: Room, limits: dict[str, int], kind: str
) -> None:
    token = room.open("trial", "first", "second", **limits)
    messages: list[Any] = [TASK]
    if kind == "response_budget":
        await room.turn(token, messages)
        messages.append({"role": "user", "content": "go on"})
    response = await room.post(token, messages)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "context_length_exceeded"
    assert room.close().limits == [kind]


async def test_the_models_context_is_a_limit(start_room: Any, tokenizer: Any) -> None:
    room = await start_room(tokenizer, max_model_len=200)
    token = room.open("trial", "a" * 300)
    answer = await room.post(token, [TASK], tools=[])
    usage = answer.json()["usage"]
    assert usage["total_tokens"] == 200
    response = await room.post(token, [{"role": "user", "content": "z" * 300}], tools=[])
    assert response.json()["error"]["code"] == "context_length_exceeded"
    assert room.close().limits == ["context_length"]


async def test_no_segment_outgrows_the_response_budget(room: Room) -> None:
    token = room.open("trial", bash_call("ls"), "a" * 500, max_response_tokens=200)
    messages: list[Any] = [TASK]
    answer = await room.turn(token, messages)
    messages.append({"role": "tool", "tool_call_id": answer["tool_calls"][0]["id"], "content": "a.py"})
    await room.turn(token, messages)
    (segment,) = room.close().segments
    assert len(segment.response_ids) == 200


@pytest.mark.parametrize(
    "body",
    [
        {"n": 2},
        {"messages": []},
        {"messages": [{"content": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
        {"tools": [{"type": "function"}]},
        {"max_tokens": -1},
    ],
)
async def test_a_request_that_cannot_be_served_is_a_bad_request(room: Room, body: dict[str, Any]) -> None:
    token = room.open("trial", "done")
    messages = body.pop("messages", [TASK])
    response = await room.post(token, messages, **body)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"
    assert room.replica.calls == []


async def test_an_engine_failure_is_a_503_and_is_recorded(room: Room) -> None:
    token = room.open("trial", RuntimeError("replica is gone"), "done")
    response = await room.post(token, [TASK])
    assert response.status_code == 503
    assert "gone" not in response.text
    await room.turn(token, [TASK])
    record = room.close()
    assert record.engine_failure == "RuntimeError: replica is gone"
    assert len(record.segments) == 1


async def test_an_answer_that_its_client_did_not_wait_for_is_not_trained_on(room: Room) -> None:
    token = room.open("trial", bash_call("ls"), "unheard", "heard")
    messages: list[Any] = [TASK]
    answer = await room.turn(token, messages)
    messages.append({"role": "tool", "tool_call_id": answer["tool_calls"][0]["id"], "content": "a.py"})
    room.replica.wait = asyncio.Event()
    leaving = asyncio.create_task(room.post(token, list(messages)))
    await room.replica.asked(2)
    leaving.cancel()
    await asyncio.wait([leaving])
    await room.client.get("/health")  # by then the server has seen the other connection end
    room.replica.wait.set()
    await room.turn(token, messages)
    record = room.close()
    assert [call.delivered for call in record.calls] == [True, False, True]
    (segment,) = record.segments
    assert "unheard" not in room.replica.text(segment.response_ids)


async def test_a_record_counts_tokens_spans_and_weight_versions(room: Room) -> None:
    token = room.open("trial", "first", "second")
    messages: list[Any] = [TASK]
    before = time.time()
    await room.turn(token, messages)
    room.replica.version = 3
    messages.append({"role": "user", "content": "go on"})
    await room.turn(token, messages)
    record = room.close()
    assert record.weight_versions == (0, 3)
    assert record.completion_tokens == len("first") + len("second") + 2
    assert record.prompt_tokens == sum(len(ids) for ids in room.replica.prompts("trial"))
    starts = [start for kind, start, end in record.spans if kind == "generation" and start <= end]
    assert len(starts) == 2
    assert before <= starts[0] <= starts[1] <= time.time()


async def test_ids_and_logprobs_are_returned_when_asked_for(room: Room) -> None:
    token = room.open("trial", "done", "done")
    body = (await room.post(token, [TASK], return_token_ids=True, logprobs=True)).json()
    (segment,) = room.close().segments
    assert body["prompt_token_ids"] == segment.prompt_ids
    choice = body["choices"][0]
    assert choice["token_ids"] == segment.response_ids
    assert [row["logprob"] for row in choice["logprobs"]["content"]] == segment.response_logprobs
    assert "".join(row["token"] for row in choice["logprobs"]["content"]).startswith("done")


async def test_a_stream_says_what_the_plain_answer_says(room: Room) -> None:
    turn = "I look.\n" + bash_call("ls")
    token = room.open("trial", turn, turn)
    client = openai.AsyncOpenAI(base_url=f"{room.gateway.url}/v1", api_key=token, max_retries=0)
    ask: dict[str, Any] = {"model": "claude-x", "messages": [TASK], "tools": [BASH]}
    plain = (await client.chat.completions.create(**ask)).choices[0]
    usage_asked = {"include_usage": True}
    chunks = [
        c async for c in await client.chat.completions.create(**ask, stream=True, stream_options=usage_asked)
    ]
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    calls = [call for delta in deltas for call in delta.tool_calls or []]
    assert "".join(delta.content or "" for delta in deltas) == plain.message.content == "I look."
    assert calls[0].function.name == "bash"
    assert json.loads("".join(call.function.arguments for call in calls)) == {"command": "ls"}
    assert plain.message.tool_calls[0].id == "call_0"
    assert calls[0].id == "call_1"
    assert chunks[-2].choices[0].finish_reason == plain.finish_reason == "tool_calls"
    assert chunks[-1].usage.completion_tokens == len(turn) + 1
    await client.close()


async def test_models_are_listed_for_a_session_and_health_for_everybody(room: Room) -> None:
    token = room.open("trial")
    models = await room.client.get("/v1/models", headers={"authorization": f"Bearer {token}"})
    assert [model["id"] for model in models.json()["data"]] == ["policy"]
    assert (await room.client.get("/v1/models")).status_code == 401
    assert (await room.client.get("/health")).status_code == 200


async def converse(room: Room, name: str, turns: int) -> None:
    token = room.open(name, *(bash_call(f"{name} {turn}") for turn in range(turns)))
    messages: list[Any] = [{"role": "user", "content": name}]
    for _ in range(turns):
        answer = await room.turn(token, messages)
        content = f"result for {name}"
        messages.append({"role": "tool", "tool_call_id": answer["tool_calls"][0]["id"], "content": content})


async def test_64_sessions_at_once_keep_their_own_tokens(room: Room) -> None:
    names = [f"trial-{index}" for index in range(64)]
    begun = time.monotonic()
    await asyncio.gather(*(converse(room, name, 3) for name in names))
    print(f"{64 * 3 / (time.monotonic() - begun):.0f} calls a second, 64 sessions of 3 turns, no LiteLLM")
    for name in names:
        (segment,) = room.close(name).segments
        own = [token for ids in room.replica.sampled[name] for token in ids]
        rows = zip(segment.response_ids, segment.response_mask, strict=True)
        assert [token for token, mask in rows if mask] == own
        assert [*segment.prompt_ids, *segment.response_ids] == room.replica.prompts(name)[-1] + own[
            -len(room.replica.sampled[name][-1]) :
        ]


async def test_calls_of_one_session_may_overlap(room: Room) -> None:
    room.replica.wait = asyncio.Event()
    token = room.open("trial", "one", "two")
    asking = [asyncio.create_task(room.post(token, [{**TASK, "content": text}])) for text in ("a", "b")]
    await room.replica.asked(2)
    room.replica.wait.set()
    assert [response.status_code for response in await asyncio.gather(*asking)] == [200, 200]
    record = room.close()
    assert len(record.segments) == 2
    assert record.spans[1][1] < record.spans[0][2]


async def test_serving_leaves_the_process_signals_alone(tokenizer: Any, start_room: Any) -> None:
    handled = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in handled]
    await start_room(tokenizer)
    assert [signal.getsignal(number) for number in handled] == before


async def test_an_unknown_tool_parser_is_named_with_the_known_ones(tokenizer: Any) -> None:
    from liverl.gateway.server import Gateway

    replica = ScriptedReplica(tokenizer)
    with pytest.raises(GatewayError, match=r"hermes"):
        Gateway(replica.generate, tokenizer, tool_parser="nosuch", key=KEY, max_model_len=100)
    assert Sampling().top_k == -1


@pytest.mark.parametrize("stream", [False, True])
async def test_half_a_surrogate_pair_in_a_tool_call_is_replaced(room: Room, stream: bool) -> None:
    turn = bash_call("echo \\ud83d \\ud83d\\ude00")
    token = room.open("trial", turn)
    response = await room.post(token, [TASK], stream=stream)
    assert response.status_code == 200
    assert "\ufffd \U0001f600" in response.text
    record = room.close()
    json.dumps(record.messages, ensure_ascii=False).encode()
    assert room.replica.text(record.segments[0].response_ids).startswith(turn)


async def test_half_a_surrogate_pair_in_an_agents_message_is_replaced(room: Room) -> None:
    token = room.open("trial", "done")
    body = json.dumps({"messages": [{"role": "user", "content": "a \ud83d b"}]})
    response = await room.client.post(
        "/v1/chat/completions", content=body, headers={"authorization": f"Bearer {token}"}
    )
    assert response.status_code == 200
    assert room.close().messages[0]["content"] == "a \ufffd b"


async def test_a_session_has_no_more_calls_than_it_may_make(room: Room) -> None:
    token = room.open("trial", "one", "two", "three", max_calls=2)
    for _ in range(2):
        assert (await room.post(token, [TASK])).status_code == 200
    response = await room.post(token, [TASK])
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "context_length_exceeded"
    record = room.close()
    assert (len(record.calls), record.limits) == (2, ["calls"])


async def test_a_call_given_up_with_its_session_is_recorded_as_unanswered(room: Room) -> None:
    room.replica.wait = asyncio.Event()
    token = room.open("trial", "done")
    begun = time.time()
    asking = asyncio.create_task(room.post(token, [TASK]))
    await room.replica.asked(1)
    [(start, end)] = room.close().unanswered
    await asking
    assert begun <= start <= end <= time.time()
