"""Streamable HTTP on loopback, behind a token that every request has to carry."""

from __future__ import annotations

import hmac
import os
import secrets
import sys

import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from liverl.errors import RunError
from mcp_server.server import make_server

TOKEN_VARIABLE = "LIVERL_MCP_TOKEN"
_LEAST_CHARS = 16
_LOOPBACK = "127.0.0.1"


class Guarded:
    """An application behind a bearer token, compared in constant time."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what carries the token; 401 for all else."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._wanted):
                refusal = JSONResponse(
                    {"error": f"a bearer token is needed: the one in {TOKEN_VARIABLE}"},
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def guarded_app(token: str) -> Guarded:
    """The MCP server as an ASGI application at /mcp."""
    return Guarded(make_server().streamable_http_app(host=_LOOPBACK), token)


def token() -> tuple[str, bool]:
    """The token of the environment, else a new one; and whether it is new.

    Raises `RunError` where the given one is too short to keep anybody out.
    """
    given = os.environ.get(TOKEN_VARIABLE, "")
    if given and len(given) < _LEAST_CHARS:
        raise RunError(
            "mcp.short_token",
            f"{TOKEN_VARIABLE} has fewer than {_LEAST_CHARS} characters.",
            next_action=f"unset {TOKEN_VARIABLE}, and one is made; or set a longer one",
        )
    return (given, False) if given else (secrets.token_urlsafe(32), True)


def serve_http(port: int) -> int:
    """Serve on loopback until a signal ends it."""
    secret, is_new = token()
    print(f"serving http://{_LOOPBACK}:{port}/mcp", file=sys.stderr)
    if is_new:
        print(f"{TOKEN_VARIABLE}={secret}", file=sys.stderr)
    uvicorn.run(guarded_app(secret), host=_LOOPBACK, port=port, log_level="warning", access_log=False)
    return 0
