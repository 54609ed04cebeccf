"""The model endpoint as an agent outside the sandbox calls it: one OpenAI chat completion at a time."""

from __future__ import annotations

import asyncio
import weakref
from dataclasses import dataclass
from typing import Any

import httpx

from liverl.errors import GatewayError

_TIMEOUT = httpx.Timeout(600.0, connect=10.0)
# Shorter than the 5 s after which uvicorn closes an idle connection: a request must not meet a closing one.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=2.0)

_clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = (
    weakref.WeakKeyDictionary()
)


class ContextOverflow(Exception):
    """The conversation no longer fits the model's context."""


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint: `url` ends before `/chat/completions`, `token` is the bearer's."""

    url: str
    token: str
    model: str

    async def complete(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], max_tokens: int | None
    ) -> dict[str, Any]:
        """The first choice of a completion, as received: `message`, `finish_reason`.

        Raises `ContextOverflow` when the endpoint says that the conversation is too long, `GatewayError` for
        every other failure. Never tries twice: the endpoint keeps each call as training data.
        """
        body: dict[str, Any] = {"model": self.model, "messages": messages, "tools": tools}
        if max_tokens is not None:
            body["max_tokens"] = max_tokens
        try:
            response = await _client().post(
                f"{self.url.rstrip('/')}/chat/completions",
                json=body,
                headers={"Authorization": f"Bearer {self.token}"},
            )
        except httpx.HTTPError as error:
            raise GatewayError(
                "gateway.unreachable",
                "The model endpoint does not answer.",
                evidence=f"{type(error).__name__}: {error} at {self.url}",
                next_action="Look for an earlier failure of the gateway or of LiteLLM in the run's log.",
            ) from error
        if response.status_code == 200:
            return _first_choice(response)
        if 400 <= response.status_code < 500 and _says_too_long(response.text):
            raise ContextOverflow(response.text[:300])
        raise GatewayError(
            "gateway.refused",
            f"The model endpoint answered {response.status_code}.",
            evidence=response.text[:500],
            next_action="Look for the same moment in the run's log, where LiteLLM and the gateway write.",
        )


def _client() -> httpx.AsyncClient:
    """One client for each event loop: its connections belong to the loop that opened them."""
    loop = asyncio.get_running_loop()
    client = _clients.get(loop)
    if client is None:
        # trust_env off: a proxy of the host must not see the trial's token.
        client = httpx.AsyncClient(timeout=_TIMEOUT, limits=_LIMITS, trust_env=False)
        _clients[loop] = client
    return client


def _first_choice(response: httpx.Response) -> dict[str, Any]:
    try:
        choice = response.json()["choices"][0]
        choice["message"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise GatewayError(
            "gateway.malformed", "The model endpoint's answer holds no message.", evidence=response.text[:500]
        ) from error
    return dict(choice)


def _says_too_long(text: str) -> bool:
    lowered = text.lower()
    return "context_length" in lowered or (
        "context" in lowered and any(word in lowered for word in ("length", "window", "maximum", "too long"))
    )
