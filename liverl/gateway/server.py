"""The gateway: OpenAI chat completions inside the caller's event loop, one session a trial.

Gateway       opens and closes sessions, serves, asks the replica
GatewayServer uvicorn without its signal handlers, on a socket of ours
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from liverl.errors import EngineError, GatewayError
from liverl.gateway.answering import Answering, SessionClosed
from liverl.gateway.calls import Generate, Generation, Sampling, SessionRecord
from liverl.gateway.parser import TurnParser
from liverl.gateway.protocol import ChatRequest, error_body
from liverl.gateway.session import LimitReached, Limits, Session
from liverl.gateway.template import ChatTemplate
from liverl.gateway.token import sign, verify

__all__ = ["Gateway", "Generate", "Generation", "Sampling", "SessionRecord"]

# LiteLLM keeps its connections; one that this end closed first would cost a trial its call.
KEEP_ALIVE_S = 3600
STOP_GRACE_S = 2
MAX_CALLS = 1000


class GatewayServer(uvicorn.Server):
    """A uvicorn server that leaves the process's signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Gateway:
    """The model endpoint of one agent-loop worker.

    `generate(session name, prompt ids, sampling)` asks the replica; `stop_ids` are the ids that end a turn
    (default: the tokenizer's); `key` signs the sessions' tokens.
    """

    def __init__(
        self,
        generate: Generate,
        tokenizer: Any,
        *,
        tool_parser: str,
        key: bytes,
        max_model_len: int,
        model_name: str = "policy",
        stop_ids: Sequence[int] = (),
    ) -> None:
        parser = TurnParser(tokenizer, tool_parser)
        ends = frozenset([tokenizer.eos_token_id, *stop_ids, *parser.stop_token_ids]) - {None}
        self._answering = Answering(generate, tokenizer, parser, ends, model_name)
        self._template = ChatTemplate(tokenizer, sorted(ends))
        self._key = key
        self._max_model_len = max_model_len
        self._model_name = model_name
        self._sessions: dict[str, Session] = {}
        self._server: GatewayServer | None = None
        self._serving: asyncio.Task[None] | None = None
        self.url = ""

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Serve in this event loop, on a free port unless one is named; returns the address, `http://host:port`."""
        listener = _listener(host, port)
        config = uvicorn.Config(
            self._app(),
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=STOP_GRACE_S,
        )
        self._server = GatewayServer(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started and not self._serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.005)
        if self._serving.done():
            await self._serving
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        return self.url

    async def stop(self) -> None:
        """End every session and stop serving."""
        for name in list(self._sessions):
            self.close_session(name)
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        await self._serving
        self._server = self._serving = None

    def open_session(
        self,
        name: str,
        *,
        sampling: Sampling,
        max_response_tokens: int,
        max_tokens_per_turn: int | None = None,
        max_prompt_tokens: int | None = None,
        max_calls: int = MAX_CALLS,
        expires_s: float = 86400.0,
    ) -> str:
        """Begin a session; returns the token that opens it and nothing else.

        `max_response_tokens` bounds what follows a segment's first prompt (sampled and not),
        `max_prompt_tokens` the first prompt itself, `max_calls` how many calls are answered.

        Raises GatewayError `gateway.not_started`,
        `gateway.session_exists`.
        """
        if not self.url:
            raise GatewayError(
                "gateway.not_started", "the gateway has no address yet", next_action="start it first"
            )
        if name in self._sessions:
            raise GatewayError(
                "gateway.session_exists",
                f"session {name} is open",
                next_action="give each trial a name of its own",
            )
        limits = Limits(
            model_len=self._max_model_len,
            prompt=max_prompt_tokens or self._max_model_len,
            response=max_response_tokens,
            turn=max_tokens_per_turn or self._max_model_len,
            calls=max_calls,
        )
        self._sessions[name] = Session(name, sampling, limits, self._template)
        return sign(self._key, name, self.url, time.time() + expires_s)

    def close_session(self, name: str) -> SessionRecord:
        """End a session: its token opens nothing any more, calls still under way are given up.

        Raises GatewayError `gateway.session_unknown`.
        """
        session = self._sessions.pop(name, None)
        if session is None:
            raise GatewayError("gateway.session_unknown", f"there is no open session {name}")
        session.closed = True
        record = session.record()
        for running in session.running:
            running.cancel()
        return record

    def _app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
                Route("/health", self._health, methods=["GET"]),
            ]
        )

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _models(self, request: Request) -> Response:
        if self._session(request) is None:
            return _unauthorised()
        model = {"id": self._model_name, "object": "model", "created": 0, "owned_by": "liverl"}
        return JSONResponse({"object": "list", "data": [model]})

    async def _chat(self, request: Request) -> Response:
        session = self._session(request)
        if session is None:
            return _unauthorised()
        try:
            chat = ChatRequest.parse(await request.json())
            answer = await self._answering.answer(session, chat, request.is_disconnected)
        except LimitReached as limit:
            return _error(400, str(limit), "invalid_request_error", "context_length_exceeded")
        except ValueError as error:  # MessageError, or a body that isn't JSON
            return _error(400, str(error), "invalid_request_error", "invalid_request")
        except EngineError as error:
            return _error(503, error.message, "server_error", "engine_failure")
        except SessionClosed:
            return _unauthorised()
        if chat.stream:
            return StreamingResponse(answer.events(chat), media_type="text/event-stream")
        return JSONResponse(answer.body(chat))

    def _session(self, request: Request) -> Session | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        try:
            claim = verify(self._key, token.strip())
        except GatewayError:
            return None
        return self._sessions.get(claim.session) if claim.url == self.url else None


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where the protocol is spelled out; with it a call costs 40 ms
    # more.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(1024)
    return listener


def _unauthorised() -> Response:
    # One answer for a forged, an expired and a closed session's token: 401 is what no agent retries.
    return _error(401, "this credential opens no session here", "authentication_error", "invalid_api_key")


def _error(status: int, message: str, kind: str, code: str) -> Response:
    return JSONResponse(error_body(message, kind, code), status_code=status)
