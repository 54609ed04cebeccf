"""The server as a process of its own, by standard input and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from tests.e2e.site import REPOSITORY
from tests.test_imports import HEAVY


async def test_it_serves_by_standard_input_and_output_from_any_folder(tmp_path: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mcp_server"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(tmp_path)},
    )
    async with Client(server) as client:
        assert len((await client.list_tools()).tools) == 12
        result = await client.call_tool("list_runs", {})
    assert not result.is_error and "no run yet" in str(result.content)


def test_it_loads_nothing_of_the_data_plane_and_no_verb_before_it_is_called() -> None:
    program = (
        "import sys\nfrom mcp_server.server import make_server\nmake_server()\n"
        f"print(*sorted({{*{HEAVY!r}, 'yaml', 'psutil'}} & {{n.partition('.')[0] for n in sys.modules}}))\n"
        "print(*[n for n in sys.modules if n.startswith(('liverl.operate', 'liverl.preflight', 'liverl.config'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=REPOSITORY, check=True
    )
    assert done.stdout.split() == []
