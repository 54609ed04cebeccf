"""Builds the server, and serves it by standard input and output."""

from __future__ import annotations

import logging
import sys

from mcp.server import MCPServer

from liverl import __version__
from mcp_server.acting import add_acting
from mcp_server.reading import add_reading
from mcp_server.resources import add_resources

_INSTRUCTIONS = (
    "LiveRL trains coding agents with online RL (verl on Ray, vLLM, Harbor sandboxes). These tools check a machine and "
    "a config.yaml before a run, start a run, tell how it is doing, read its log and trials, say what is wrong with "
    "it, stop it, go on with it and clean up. launch takes the fingerprint of a passed preflight; launch, resume, stop "
    "and clean ask a person."
)


def make_server() -> MCPServer:
    """The server with all its tools, resources and its prompt."""
    server: MCPServer = MCPServer("liverl", title="LiveRL", version=__version__, instructions=_INSTRUCTIONS)
    add_reading(server)
    add_acting(server)
    add_resources(server)
    return server


def serve() -> int:
    """Serve by standard input and output until the client closes them."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    make_server().run()
    return 0
