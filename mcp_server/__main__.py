"""`python -m mcp_server` serves by standard input and output."""

from __future__ import annotations

import sys

from mcp_server.server import serve

sys.exit(serve())
