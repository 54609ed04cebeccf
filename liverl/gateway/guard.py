"""What stands before LiteLLM: a trial's credential checked, its request reduced to what a model call is."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from liverl.errors import GatewayError
from liverl.gateway.protocol import error_body
from liverl.gateway.token import Claim, verify

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_CHAT_FIELDS = frozenset(
    [
        "messages",
        "tools",
        "tool_choice",
        "max_tokens",
        "max_completion_tokens",
        "stream",
        "stream_options",
        "n",
        "logprobs",
        "return_token_ids",
    ]
)
_MESSAGES_FIELDS = frozenset(["messages", "system", "tools", "tool_choice", "max_tokens", "stream"])
CALL_ROUTES = {
    "/v1/chat/completions": _CHAT_FIELDS,
    "/chat/completions": _CHAT_FIELDS,
    "/v1/messages": _MESSAGES_FIELDS,
}
MODELS_ROUTE = "/v1/models"
ALIVE_ROUTE = "/health/liveliness"
# LiteLLM acts on many headers (its own key header, tags, timeouts, betas); these few are what a call needs.
_HEADERS = frozenset((b"host", b"accept", b"user-agent", b"anthropic-version"))
# A full context of a million tokens is about half of this.
MAX_BODY_BYTES = 8 << 20
# Every other type is a tool that LiteLLM or a provider would run itself.
_TOOL_TYPES = (None, "function", "custom")


@dataclass(frozen=True)
class Caller:
    """Who makes the call under way: a verified claim and its token."""

    claim: Claim
    token: str


# Inherited by every task that serves the request, and out of reach of anything a client can write.
CALLER: ContextVar[Caller] = ContextVar("caller")


class Guard:
    """An ASGI application before LiteLLM's: four routes, signed tokens only, bodies of known fields only.

    Anything else is refused (403, 401, 400, 413) before LiteLLM sees it. Whatever model a client names, LiteLLM
    is asked for `model_name`.
    """

    def __init__(self, app: App, key: bytes, model_name: str) -> None:
        self._app = app
        self._key = key
        self._model_name = model_name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await send({"type": "websocket.close"})  # before it is accepted: a 403

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        if (method, path) == ("GET", ALIVE_ROUTE):
            await self._app(_reduced(scope, []), receive, send)
            return
        fields = CALL_ROUTES.get(path) if method == "POST" else None
        if fields is None and (method, path) != ("GET", MODELS_ROUTE):
            await _refuse(send, 403, "this route is closed to trials", "permission_error")
            return
        try:
            caller = self._caller(scope)
        except GatewayError as error:
            await _refuse(send, 401, error.message, "authentication_error")
            return
        CALLER.set(caller)
        credential = (b"authorization", f"Bearer {caller.token}".encode())
        if fields is None:
            await self._app(_reduced(scope, [credential]), receive, send)
            return
        try:
            body = self._body(await _read(receive), fields)
        except _TooLarge:
            await _refuse(send, 413, "the request's body is too large", "request_too_large")
            return
        except ValueError:
            await _refuse(send, 400, "the request's body is not a JSON object", "invalid_request_error")
            return
        length = (b"content-length", str(len(body)).encode())
        headers = [credential, (b"content-type", b"application/json"), length]
        await self._app(_reduced(scope, headers), _replayed(body, receive), send)

    def _caller(self, scope: Scope) -> Caller:
        headers = dict(scope["headers"])
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            token = headers.get(b"x-api-key", b"").decode("latin-1")
        token = token.strip()
        return Caller(verify(self._key, token), token)

    def _body(self, raw: bytes, fields: frozenset[str]) -> bytes:
        body = json.loads(raw)
        if not isinstance(body, dict):
            raise ValueError("not an object")
        kept = {name: value for name, value in body.items() if name in fields}
        if isinstance(kept.get("tools"), list):
            kept["tools"] = [tool for tool in kept["tools"] if _is_callers_own(tool)]
        return json.dumps({**kept, "model": self._model_name}).encode()


def _is_callers_own(tool: Any) -> bool:
    return isinstance(tool, dict) and tool.get("type") in _TOOL_TYPES


def _reduced(scope: Scope, headers: list[tuple[bytes, bytes]]) -> Scope:
    kept = [(name, value) for name, value in scope["headers"] if name in _HEADERS]
    return {**scope, "headers": kept + headers, "query_string": b""}


class _TooLarge(ValueError):
    pass


async def _read(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ValueError("the client left")
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > MAX_BODY_BYTES:
            raise _TooLarge
        if not message.get("more_body"):
            return b"".join(chunks)


def _replayed(body: bytes, receive: Receive) -> Receive:
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> MutableMapping[str, Any]:
        return pending.pop() if pending else await receive()

    return replay


async def _refuse(send: Send, status: int, message: str, kind: str) -> None:
    body = json.dumps({"type": "error", **error_body(message, kind, kind)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
