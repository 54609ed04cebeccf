"""How soon the faces answer: `python -m bench.faces [--rounds 9]`.

Our MCP server beside the least that `mcp` makes (bench/bare_server.py), each started anew in turn: process start to
tools listed, and resident memory then. `liverl --help`, and the preflight without probes in a folder with the shipped
config.yaml, its first time (nothing remembered) and again. Writes bench/results/faces.json.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from bench.result import FOLDER, Measure, Result, save
from bench.table import plain

ROOT = Path(__file__).resolve().parents[1]
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "0"},
    },
}


@dataclass(frozen=True)
class Start:
    """One start of a server: seconds to the list of its tools, and resident bytes then."""

    seconds: float
    rss_bytes: int


async def start(command: list[str], cwd: Path) -> Start:
    """Start a server, shake hands, list its tools, end it."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdin is not None and process.stdout is not None
    for message in (_HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}, _LIST):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()
    while json.loads(await process.stdout.readline()).get("id") != _LIST["id"]:
        continue
    seconds = time.perf_counter() - began
    rss = int(psutil.Process(process.pid).memory_info().rss)
    process.stdin.close()
    await process.wait()
    return Start(seconds, rss)


def times(command: list[str], cwd: Path, rounds: int, env: dict[str, str] | None = None) -> list[float]:
    """Seconds of a command, from start to end, so many times."""
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run(command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, check=False)
        found.append(time.perf_counter() - began)
    return found


def preflights(folder: Path) -> tuple[float, float, float]:
    """Seconds of a check without probes: with nothing remembered, with verl's answer remembered, and with probes."""
    shutil.copy2(ROOT / "config.yaml", folder)
    (folder / "tasks").symlink_to(ROOT / "tasks")
    fresh = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
    check = [sys.executable, "-m", "liverl.cli", "check", "--no-probe"]
    first, *again = times(check, folder, 4, {**fresh, "PYTHONPATH": str(ROOT)})
    return first, statistics.median(again), max(again)


def measure(rounds: int, folder: Path) -> list[Measure]:
    """Everything, the two servers in turn."""
    ours: list[Start] = []
    bare: list[Start] = []
    for _ in range(rounds):
        bare.append(asyncio.run(start([sys.executable, str(ROOT / "bench" / "bare_server.py")], folder)))
        ours.append(asyncio.run(start([sys.executable, "-m", "mcp_server"], folder)))
    ours_ms, bare_ms = (1000 * statistics.median(each.seconds for each in all_) for all_ in (ours, bare))
    ours_mib, bare_mib = (statistics.median(each.rss_bytes for each in all_) / 2**20 for all_ in (ours, bare))
    liverl = str(Path(sys.executable).with_name("liverl"))
    help_ms = 1000 * statistics.median(times([liverl, "--help"], folder, rounds))
    first_s, again_s, _ = preflights(folder)
    return [
        Measure("server_ms", "MCP server, start to tools listed", ours_ms, "ms", "lower", None, 40),
        Measure("bare_ms", "a bare server of `mcp`, in turn", bare_ms, "ms", "", None, 40),
        Measure("server_more_ms", "more than the bare one", ours_ms - bare_ms, "ms", "lower", 30, 15),
        Measure("server_mib", "its resident memory", ours_mib, "MiB", "lower", None, 2),
        Measure("server_more_mib", "more than the bare one's", ours_mib - bare_mib, "MiB", "lower", 10, 1),
        Measure("help_ms", "`liverl --help`", help_ms, "ms", "lower", 150, 15),
        Measure(
            "check_s", "preflight without probes, verl's answer remembered", again_s, "s", "lower", 3, 0.3
        ),
        Measure("first_check_s", "the same, verl asked too", first_s, "s", "lower", 13, 1),
    ]


def main() -> int:
    """Measure, print, and save."""
    parser = argparse.ArgumentParser(prog="python -m bench.faces", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measures = measure(arguments.rounds, Path(folder))
    result = Result(name="faces", title="How soon it answers", measures=measures)
    save(result, FOLDER)
    print(plain(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
