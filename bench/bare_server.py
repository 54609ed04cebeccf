"""The least MCP server that `mcp` makes: what ours is compared with in bench.faces."""

from __future__ import annotations

from mcp.server import MCPServer

server: MCPServer = MCPServer("bare")


@server.tool()
def echo(text: str) -> dict[str, str]:
    """Say the same again."""
    return {"text": text}


if __name__ == "__main__":
    server.run()
