"""The whole chain tried once: LiteLLM, gateway and replica, by OpenAI's and by Anthropic's protocol."""

from __future__ import annotations

import secrets
from typing import Any

import httpx

from liverl.errors import GatewayError
from liverl.gateway.calls import Sampling, SessionRecord
from liverl.gateway.door import door_ready
from liverl.gateway.server import Gateway

PROBE_TOKENS = 4
CALL_TIMEOUT_S = 120.0
_MESSAGES = [{"role": "user", "content": "Hello"}]
_CALLS = {"OpenAI": "/v1/chat/completions", "Anthropic": "/v1/messages"}


async def check_chain(gateway: Gateway, door_url: str, *, ready_timeout_s: float = 120.0) -> SessionRecord:
    """Make one tiny call by each protocol through LiteLLM at `door_url`, in a session of its own; its record.

    Raises GatewayError for the link that is broken: `gateway.door_not_listening`, `gateway.chain_refused`,
    `gateway.chain_upstream` (LiteLLM answered, the call didn't reach this gateway), `gateway.chain_engine`,
    `gateway.chain_ids` (what was recorded is not what was answered).
    """
    await door_ready(door_url, ready_timeout_s)
    name = f"chain-check-{secrets.token_hex(4)}"
    token = gateway.open_session(
        name,
        sampling=Sampling(),
        max_response_tokens=PROBE_TOKENS,
        max_tokens_per_turn=PROBE_TOKENS,
        expires_s=2 * CALL_TIMEOUT_S + ready_timeout_s,
    )
    answers: dict[str, dict[str, Any]] = {}
    problem: GatewayError | None = None
    try:
        for protocol in _CALLS:
            answers[protocol] = await _call(protocol, door_url, token)
    except GatewayError as error:
        problem = error
    record = gateway.close_session(name)
    if record.engine_failure:
        raise GatewayError(
            "gateway.chain_engine",
            "LiteLLM and the gateway work, the replica behind them fails",
            evidence=record.engine_failure,
            next_action="read the replica's error in the run's log",
        )
    if problem is not None:
        raise problem
    _compare(record, answers)
    return record


async def _call(protocol: str, door_url: str, token: str) -> dict[str, Any]:
    body = {"model": "policy", "messages": _MESSAGES, "max_tokens": PROBE_TOKENS}
    if protocol == "OpenAI":
        body["return_token_ids"] = True
        headers = {"authorization": f"Bearer {token}"}
    else:
        headers = {"x-api-key": token, "anthropic-version": "2023-06-01"}
    try:
        async with httpx.AsyncClient(timeout=CALL_TIMEOUT_S, trust_env=False) as client:
            response = await client.post(door_url + _CALLS[protocol], json=body, headers=headers)
    except httpx.HTTPError as error:
        raise _broken(
            "gateway.door_not_listening",
            protocol,
            f"{type(error).__name__}: {error}",
            "is LiteLLM still running?",
        ) from error
    if response.status_code in (401, 403):
        cure = (
            "LiteLLM and the gateway must be given the same LIVERL_DOOR_KEY; is another program on this port?"
        )
        raise _broken("gateway.chain_refused", protocol, _seen(response), cure)
    if response.status_code != 200:
        cure = "can LiteLLM's machine reach the gateway's address? read LiteLLM's own error: logs/attempt_N_litellm.log"
        raise _broken("gateway.chain_upstream", protocol, _seen(response), cure)
    answer: dict[str, Any] = response.json()
    return answer


def _compare(record: SessionRecord, answers: dict[str, dict[str, Any]]) -> None:
    if len(record.segments) != len(answers):
        raise _broken(
            "gateway.chain_upstream",
            "either",
            f"{len(record.segments)} of {len(answers)} calls arrived at this gateway",
            "something else answers in LiteLLM's place, or it was started with another configuration",
        )
    openai, anthropic = answers["OpenAI"], answers["Anthropic"]
    ids = openai.get("prompt_token_ids"), _token_ids(openai)
    counted = anthropic["usage"]["input_tokens"], anthropic["usage"]["output_tokens"]
    first, second = record.segments
    if ids != (first.prompt_ids, first.response_ids):
        seen = f"answered {ids[1]}, recorded {first.response_ids}"
        raise _broken(
            "gateway.chain_ids", "OpenAI", seen, "report it: a turn was recorded that was not answered"
        )
    if counted != (len(second.prompt_ids), len(second.response_ids)) or second.prompt_ids != first.prompt_ids:
        seen = f"counted {counted}, recorded {len(second.prompt_ids)} and {len(second.response_ids)}"
        raise _broken("gateway.chain_ids", "Anthropic", seen, "report it: a protocol changes the messages")


def _token_ids(answer: dict[str, Any]) -> Any:
    choice = answer["choices"][0]
    return choice.get("token_ids") or (choice.get("provider_specific_fields") or {}).get("token_ids")


def _broken(code: str, protocol: str, seen: str, cure: str) -> GatewayError:
    return GatewayError(
        code, f"a call by the {protocol} protocol did not pass the chain", evidence=seen, next_action=cure
    )


def _seen(response: httpx.Response) -> str:
    return f"HTTP {response.status_code}: {response.text[:300]}"
