"""One call with a tool by each protocol through LiteLLM, and what came back otherwise than it was said."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from liverl.gateway.calls import Sampling, SessionRecord
from liverl.gateway.server import Gateway
from liverl.probe.conversation import ARGUMENTS, MESSAGES, NAME, TOOL

_CALL_TIMEOUT_S = 30.0
_ROUTES = {"OpenAI": "/v1/chat/completions", "Anthropic": "/v1/messages"}
Row = dict[str, str]
Json = dict[str, Any]


@dataclass(frozen=True)
class Script:
    """What the answer has to say: the model's name, and the tokens of a tool call with their end."""

    model: str
    token_ids: list[int]


async def ask_both(gateway: Gateway, door_url: str, script: Script) -> list[Row]:
    """The links that are broken, each with what was seen; empty where both protocols say what the script says."""
    return [row for protocol in _ROUTES for row in await _ask(protocol, gateway, door_url, script)]


async def _ask(protocol: str, gateway: Gateway, door_url: str, script: Script) -> list[Row]:
    name = f"chain-check-{secrets.token_hex(4)}"
    token = gateway.open_session(
        name, sampling=Sampling(), max_response_tokens=len(script.token_ids), expires_s=4 * _CALL_TIMEOUT_S
    )
    try:
        response = await _post(protocol, door_url, token, script)
    except httpx.HTTPError as error:
        gateway.close_session(name)
        return [_row("litellm", protocol, f"{type(error).__name__}: {error}")]
    record = gateway.close_session(name)
    if record.engine_failure:
        return [_row("replica", protocol, record.engine_failure)]
    if response.status_code != 200:
        return [_row("litellm", protocol, f"HTTP {response.status_code}: {response.text[:300]}")]
    try:
        judge = judge_openai if protocol == "OpenAI" else judge_anthropic
        return [_row(link, protocol, seen) for link, seen in judge(response.json(), record, script)]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        seen = f"the answer has another form, {type(error).__name__}: {error}: {response.text[:300]}"
        return [_row("litellm", protocol, seen)]


async def _post(protocol: str, door_url: str, token: str, script: Script) -> httpx.Response:
    body: Json = {"model": script.model, "max_tokens": len(script.token_ids)}
    if protocol == "OpenAI":
        body |= {"messages": MESSAGES, "tools": [TOOL], "return_token_ids": True}
        headers = {"authorization": f"Bearer {token}"}
    else:
        function = TOOL["function"]
        tool = {
            "name": NAME,
            "description": function["description"],
            "input_schema": function["parameters"],
        }
        body |= {"system": MESSAGES[0]["content"], "messages": MESSAGES[1:], "tools": [tool]}
        headers = {"x-api-key": token, "anthropic-version": "2023-06-01"}
    async with httpx.AsyncClient(timeout=_CALL_TIMEOUT_S, trust_env=False) as client:
        return await client.post(door_url + _ROUTES[protocol], json=body, headers=headers)


def judge_openai(answer: Json, record: SessionRecord, script: Script) -> Iterator[tuple[str, str]]:
    """The broken links (`model_name`, `tool_call`, `token_ids`) of an answer by OpenAI's protocol."""
    choice = answer["choices"][0]
    calls = [call["function"] for call in choice["message"].get("tool_calls") or ()]
    yield from _judge_name(answer, script)
    yield from _judge_calls([{**call, "arguments": json.loads(call["arguments"])} for call in calls])
    told = choice.get("token_ids") or (choice.get("provider_specific_fields") or {}).get("token_ids")
    yield from _judge_ids((answer.get("prompt_token_ids"), told), record, script)


def judge_anthropic(answer: Json, record: SessionRecord, script: Script) -> Iterator[tuple[str, str]]:
    """The same of an answer by Anthropic's protocol, which counts tokens and does not name them."""
    blocks = [block for block in answer["content"] if block["type"] == "tool_use"]
    yield from _judge_name(answer, script)
    yield from _judge_calls([{"name": block["name"], "arguments": block["input"]} for block in blocks])
    usage = answer["usage"]
    counted = usage["input_tokens"], usage["output_tokens"]
    recorded = [(len(each.prompt_ids), len(each.response_ids)) for each in record.segments]
    if recorded != [counted]:
        yield "token_ids", f"counted {counted}, recorded {recorded}"
    elif record.segments[0].response_ids != script.token_ids:
        yield "token_ids", _other(script.token_ids, record.segments[0].response_ids)


def _judge_name(answer: Json, script: Script) -> Iterator[tuple[str, str]]:
    if answer.get("model") != script.model:
        yield "model_name", f"asked for {script.model!r}, answered by {answer.get('model')!r}"


def _judge_calls(calls: list[Json]) -> Iterator[tuple[str, str]]:
    read = [(call["name"], call["arguments"]) for call in calls]
    if read != [(NAME, ARGUMENTS)]:
        yield "tool_call", f"said {NAME}({json.dumps(ARGUMENTS)}), arrived: {json.dumps(read)[:300]}"


def _judge_ids(told: tuple[Any, Any], record: SessionRecord, script: Script) -> Iterator[tuple[str, str]]:
    if len(record.segments) != 1:
        yield "token_ids", f"{len(record.segments)} calls were recorded of the one that was made"
        return
    segment = record.segments[0]
    if told != (segment.prompt_ids, segment.response_ids):
        yield "token_ids", f"answered {str(told[1])[:150]}, recorded {str(segment.response_ids)[:150]}"
    elif segment.response_ids != script.token_ids:
        yield "token_ids", _other(script.token_ids, segment.response_ids)


def _other(said: list[int], recorded: list[int]) -> str:
    return f"sampled {str(said)[:150]}, recorded {str(recorded)[:150]}"


def _row(link: str, protocol: str, seen: str) -> Row:
    return {"link": link, "seen": f"by the {protocol} protocol: {seen}"}
