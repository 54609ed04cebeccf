from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
import yaml

from liverl.errors import GatewayError
from liverl.gateway.door import KEY_VARIABLE, door_ready, litellm_environment, write_config
from liverl.gateway.guard import CALL_ROUTES

from .chat_model import BASH, KEY, bash_call
from .conftest import Door, Room, free_port

TASK = {"role": "user", "content": "the test fails"}
# LiteLLM adds some routes on first use: they are in its OpenAPI page and in its list of names only.
PATHS = """
import json
from litellm.proxy._types import LiteLLMRoutes
from litellm.proxy.proxy_server import app
paths = {route.path for route in app.routes} | set(app.openapi()["paths"])
paths |= {path for group in LiteLLMRoutes for path in group.value if path.startswith("/")}
print(json.dumps(sorted(paths)))
"""


def openai_client(door: Door, token: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{door.url}/v1", api_key=token, max_retries=0)


async def ask(door: Door, token: str, **body: Any) -> httpx.Response:
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        return await client.post(
            f"{door.url}/v1/chat/completions",
            json={"model": "policy", "messages": [TASK], **body},
            headers={"authorization": f"Bearer {token}"},
        )


def litellm_paths(config: Path) -> list[str]:
    env = {**os.environ, **litellm_environment(config)}
    output = subprocess.run(
        [sys.executable, "-c", PATHS], env=env, capture_output=True, check=True, text=True
    )
    return [re.sub(r"\{[^}]*\}|\*", "x", path) for path in json.loads(output.stdout.splitlines()[-1])]


async def test_the_configuration_is_private_and_holds_no_secret(tmp_path: Path) -> None:
    path = write_config(tmp_path / "work")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    config = yaml.safe_load(path.read_text())
    assert "master_key" not in config["general_settings"]
    assert KEY.hex() not in path.read_text()


def test_the_door_does_not_open_without_a_key(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    command = [sys.executable, "-m", "liverl.gateway.door", "--port", "1", "--work", str(tmp_path)]
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "gateway.door_key" in result.stderr


def test_a_door_whose_parent_has_ended_does_not_open(tmp_path: Path) -> None:
    env = {**os.environ, KEY_VARIABLE: KEY.hex()}
    command = [sys.executable, "-m", "liverl.gateway.door", "--port", "1", "--work", str(tmp_path)]
    result = subprocess.run([*command, "--parent", "1"], env=env, capture_output=True, text=True, check=False)
    assert (result.returncode, "has ended" in result.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


async def test_a_door_that_never_answers_is_an_error() -> None:
    with pytest.raises(GatewayError, match=r"gateway\.door_not_listening"):
        await door_ready(f"http://127.0.0.1:{free_port()}", 0.3)


@pytest.mark.parametrize("model", ["policy", "claude-opus-4-1", "hosted_vllm/x", "gpt-4o", "bedrock/a,b"])
async def test_whatever_model_an_agent_names_the_policy_answers(door: Door, room: Room, model: str) -> None:
    token = room.open("trial", "done")
    response = await ask(door, token, model=model)
    assert response.status_code == 200, response.text
    assert response.json()["choices"][0]["message"]["content"] == "done"


async def test_an_openai_agents_tool_call_through_litellm_is_one_exact_segment(
    door: Door, room: Room
) -> None:
    token = room.open("trial", "I look.\n" + bash_call("ls"), "done")
    messages: list[Any] = [TASK]
    async with openai_client(door, token) as client:
        first = await client.chat.completions.create(model="policy", messages=messages, tools=[BASH])  # type: ignore[list-item]
        answer = first.choices[0].message
        messages.append(answer.model_dump(exclude_none=True))
        messages.append({"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": "a.py"})  # type: ignore[index]
        stream = await client.chat.completions.create(
            model="policy",
            messages=messages,
            tools=[BASH],
            stream=True,  # type: ignore[list-item]
        )
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])
    assert text == "done"
    (segment,) = room.close().segments
    sampled = [token for ids in room.replica.sampled["trial"] for token in ids]
    rows = zip(segment.response_ids, segment.response_mask, strict=True)
    assert [token for token, mask in rows if mask] == sampled


async def test_ids_and_logprobs_pass_litellm_when_asked_for(door: Door, room: Room) -> None:
    token = room.open("trial", "done")
    body = (await ask(door, token, return_token_ids=True, logprobs=True)).json()
    (segment,) = room.close().segments
    choice = body["choices"][0]
    assert body["prompt_token_ids"] == segment.prompt_ids
    assert choice["provider_specific_fields"]["token_ids"] == segment.response_ids
    assert [row["logprob"] for row in choice["logprobs"]["content"]] == segment.response_logprobs


@pytest.mark.parametrize("stream", [False, True])
async def test_each_token_reaches_its_own_gateway_and_session(
    door: Door, room: Room, start_room: Any, stream: bool
) -> None:
    other = await start_room(room.replica.tokenizer)
    places = [(at, name) for at in (room, other) for name in "ab"]
    tokens = [at.open(name, f"{name} at {at.gateway.url}") for at, name in places]
    answers = await asyncio.gather(*(ask(door, token, stream=stream) for token in tokens))
    for (at, name), answer in zip(places, answers, strict=True):
        assert f"{name} at {at.gateway.url}" in answer.text
        assert [call.index for call in at.close(name).calls] == [0]


@pytest.mark.parametrize(
    "injected",
    [
        {"api_base": "OTHER"},
        {"base_url": "OTHER"},
        {"api_key": "sk-other"},
        {"user_config": {"model_list": []}},
        {"extra_headers": {"authorization": "Bearer other"}},
        {"extra_body": {"n": 2}},
        {"fallbacks": [{"model": "gpt-4o", "api_base": "OTHER"}]},
        {"mock_response": "a mock"},
        {"mock_testing_fallbacks": True},
        {"metadata": {"user_api_key_metadata": {"session": "b"}, "tags": ["x"]}},
        {"litellm_metadata": {"api_base": "OTHER"}},
        {"litellm_params": {"api_base": "OTHER"}},
        {"custom_llm_provider": "openai"},
        {"callbacks": ["langfuse"]},
        {"guardrails": ["x"]},
        {"tools": [{"type": "mcp", "server_url": "OTHER", "server_label": "x"}]},
    ],
    ids=lambda fields: next(iter(fields)),
)
async def test_nothing_an_agent_writes_redirects_its_call(
    door: Door, room: Room, start_room: Any, injected: dict[str, Any]
) -> None:
    other = await start_room(room.replica.tokenizer)
    other.open("b", "from b")
    token = room.open("a", "from a")
    body = json.loads(json.dumps(injected).replace("OTHER", f"{other.gateway.url}/v1"))
    response = await ask(door, token, **body)
    assert response.status_code == 200, response.text
    assert response.json()["choices"][0]["message"]["content"] == "from a"
    assert other.replica.calls == []


async def test_a_header_of_litellms_own_changes_nothing(door: Door, room: Room) -> None:
    token = room.open("a", "from a")
    headers = {
        "authorization": f"Bearer {token}",
        "x-litellm-api-key": "sk-other",
        "x-litellm-tags": "x",
        "x-litellm-timeout": "0.0001",
        "api-key": "other",
    }
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        url = f"{door.url}/v1/chat/completions?api_key=sk-other&model=gpt-4o"
        response = await client.post(url, json={"model": "x", "messages": [TASK]}, headers=headers)
    assert response.json()["choices"][0]["message"]["content"] == "from a"


async def test_every_other_route_of_litellm_is_closed_to_a_trial(
    door: Door, room: Room, tmp_path: Path
) -> None:
    token = room.open("trial", "done")
    paths = await asyncio.to_thread(litellm_paths, write_config(tmp_path))
    refused, served = 0, set()
    async with httpx.AsyncClient(base_url=door.url, trust_env=False, timeout=30) as client:
        for path in paths:
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                headers = {"authorization": f"Bearer {token}"}
                response = await client.request(method, path, json={}, headers=headers)
                if response.status_code == 403:
                    refused += 1
                else:
                    served.add((method, path))
    print(f"{len(paths)} paths of LiteLLM by 5 methods: {refused} refused, served: {sorted(served)}")
    assert len(paths) > 900
    calls = {("POST", path) for path in CALL_ROUTES}
    assert served == {*calls, ("GET", "/v1/models"), ("GET", "/health/liveliness")}
    assert room.replica.calls == []


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1/chat/completions/",
        "//v1/chat/completions",
        "/v1/chat/../key/generate",
        "/key%2Fgenerate",
        "/engines/policy/chat/completions",
        "/openai/deployments/policy/chat/completions",
        "/anthropic/v1/messages",
        "/v1/messages/count_tokens",
        "/ui/",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/mcp",
    ],
)
async def test_other_spellings_and_pages_are_closed(door: Door, room: Room, path: str) -> None:
    token = room.open("trial")
    async with httpx.AsyncClient(trust_env=False) as client:
        for method in ("GET", "POST", "HEAD", "OPTIONS", "DELETE"):
            headers = {"authorization": f"Bearer {token}"}
            response = await client.request(method, door.url + path, headers=headers)
            assert response.status_code == 403


async def test_a_websocket_is_refused(door: Door, room: Room) -> None:
    token = room.open("trial")
    lines = [
        "GET /v1/realtime?model=policy HTTP/1.1",
        "host: door",
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
        f"authorization: Bearer {token}",
    ]
    host, port = door.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b" 403 " in connection.recv(4096).splitlines()[0]


async def test_a_forged_or_missing_token_is_a_401(door: Door) -> None:
    for token in ("sk-1234", "x.y", KEY.hex()):
        assert (await ask(door, token)).status_code == 401


async def test_an_engine_failure_does_not_close_the_door_to_the_next_call(door: Door, room: Room) -> None:
    token = room.open("trial", *[RuntimeError("gone")] * 5, "done")
    for _ in range(5):
        assert (await ask(door, token)).status_code == 503
    assert (await ask(door, token)).status_code == 200
    assert room.close().engine_failure == "RuntimeError: gone"


async def test_a_full_context_and_a_closed_session_are_told_to_the_agent(door: Door, room: Room) -> None:
    token = room.open("trial")
    long = await ask(door, token, messages=[{"role": "user", "content": "z" * 20000}])
    assert long.status_code == 400
    assert "context_length_exceeded" in long.text
    room.close()
    assert (await ask(door, token)).status_code == 401


async def test_the_log_holds_neither_tokens_nor_messages(door: Door, room: Room) -> None:
    token = room.open("trial", RuntimeError("gone"), "quite secret")
    for _ in range(2):
        await ask(door, token, messages=[{"role": "user", "content": "quite secret"}])
    room.close()
    await ask(door, token)
    text = door.log.read_text()
    assert token not in text
    assert "quite secret" not in text


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
@pytest.mark.parametrize("concurrency", [1, 16])
async def test_what_the_door_costs(door: Door, room: Room, path: str, concurrency: int) -> None:
    calls = 12 * concurrency
    token = room.open("trial", *["ok"] * (calls + 2), max_response_tokens=10)
    body = {"model": "policy", "messages": [TASK], "max_tokens": 5}
    seconds = []
    limits = httpx.Limits(max_connections=concurrency)
    async with httpx.AsyncClient(trust_env=False, timeout=60, limits=limits) as client:

        async def one() -> None:
            begun = time.monotonic()
            response = await client.post(door.url + path, json=body, headers={"x-api-key": token})
            assert response.status_code == 200
            seconds.append(time.monotonic() - begun)

        async def several() -> None:
            for _ in range(calls // concurrency):
                await one()

        await one()
        seconds.clear()
        begun = time.monotonic()
        await asyncio.gather(*(several() for _ in range(concurrency)))
    rate = calls / (time.monotonic() - begun)
    rss_mb = int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{door.pid}/status").read_text())[1]) / 1024  # type: ignore[index]
    median_ms = sorted(seconds)[len(seconds) // 2] * 1000
    print(
        f"{path} x{concurrency}: median {median_ms:.1f} ms, {rate:.0f} calls a second; "
        f"LiteLLM ready in {door.ready_s:.1f} s, {rss_mb:.0f} MB"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_door_that_is_still_being_imported(number: signal.Signals) -> None:
    # As uvicorn has it: it notes the signal and looks at it when it serves.
    program = (
        "import os, signal, sys\n"
        "from liverl.gateway import door\n"
        "number = int(sys.argv[1])\n"
        "signal.signal(number, lambda *_: print('noted', flush=True))\n"
        "with door._ended_at_once():\n"
        "    pass\n"
        "os.kill(os.getpid(), number)\n"
        "with door._ended_at_once():\n"
        "    os.kill(os.getpid(), number)\n"
        "    print('still there')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(int(number))], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (-number, "noted\n")
