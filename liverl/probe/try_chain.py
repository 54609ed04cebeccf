"""Starts LiteLLM and a gateway on ports of their own, and sends a call with a tool through both."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.errors import GatewayError
from liverl.gateway.calls import Generate
from liverl.gateway.door import KEY_VARIABLE, door_ready
from liverl.gateway.parser import TurnParser
from liverl.gateway.server import Gateway
from liverl.probe.agreement import MOST_BYTES, weight_bytes
from liverl.probe.conversation import ARGUMENTS, MESSAGES, NAME, TOOL, render, tool_turn, write_turn
from liverl.probe.passing import Script, ask_both
from liverl.probe.reading import read_tokenizer
from liverl.record.plan import SERVED_NAME

Row = dict[str, Any]


def try_chain(config: RunConfig, deadline: float) -> Row:
    """`broken`, `replica`, `late` and `unread` as the probe `chain` answers them; LiteLLM may take until `deadline` (of
    `time.monotonic`) to start. Nothing of it stays, however this ends."""
    key = secrets.token_bytes(32)
    with (
        tempfile.TemporaryDirectory(prefix="liverl-chain-") as work,
        _door(Path(work), key, config.model.served_name) as door,
    ):
        # LiteLLM takes its time to start; this process imports verl meanwhile.
        tokenizer = read_tokenizer(config.model.folder)
        try:
            return asyncio.run(_pass(config, tokenizer, door, key, deadline))
        except GatewayError as error:
            if error.code == "gateway.door_not_listening":
                return {"broken": [], "late": f"{error.evidence}; {door.last_words()}"}
            if error.code == "gateway.door_ended":
                return {"broken": [{"link": "litellm", "seen": f"{error.evidence}: {door.last_words()}"}]}
            raise


class Door:
    """LiteLLM as a process of this one: `url`, and what it printed last."""

    def __init__(self, process: subprocess.Popen[bytes], url: str, log: Path) -> None:
        self.process = process
        self.url = url
        self.log = log

    async def ready(self, deadline: float) -> None:
        """Wait until it answers; raises GatewayError `gateway.door_ended`, or `gateway.door_not_listening`."""
        waiting = asyncio.create_task(door_ready(self.url, max(1.0, deadline - time.monotonic())))
        while not waiting.done():
            if self.process.poll() is not None:
                waiting.cancel()
                seen = f"it ended with exit status {self.process.returncode}"
                raise GatewayError("gateway.door_ended", "LiteLLM ended before it answered", evidence=seen)
            await asyncio.sleep(0.05)
        await waiting

    def last_words(self) -> str:
        """The last lines of its log, in one."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return " / ".join(lines[-3:])[-400:] or "it printed nothing"


@contextlib.contextmanager
def _door(work: Path, key: bytes, served_name: str) -> Iterator[Door]:
    """LiteLLM by the configuration that a run has; it dies with this process even when that is killed."""
    port = _free_port()
    command = [sys.executable, "-m", "liverl.gateway.door", "--port", str(port), "--work", str(work)]
    command += ["--parent", str(os.getpid())]
    log = work / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *command],
            env={**os.environ, KEY_VARIABLE: key.hex(), SERVED_NAME: served_name},
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Door(process, f"http://127.0.0.1:{port}", log)
    finally:
        process.kill()  # it keeps no state, and nobody else speaks to it
        process.wait()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def _pass(config: RunConfig, tokenizer: Any, door: Door, key: bytes, deadline: float) -> Row:
    script, room = _script(tokenizer)
    if not await _is_read(tokenizer, script, config.rollout.tool_parser):
        return {"broken": [], "unread": True}
    async with _replica(config, script, room) as (kind, generate):
        gateway = Gateway(
            generate,
            tokenizer,
            tool_parser=config.rollout.tool_parser,
            key=key,
            max_model_len=room,
            model_name=config.model.served_name,
        )
        await gateway.start()
        try:
            await door.ready(deadline)
            broken = await ask_both(gateway, door.url, Script(config.model.served_name, script))
        finally:
            await gateway.stop()
    return {"broken": broken, "replica": kind}


async def _is_read(tokenizer: Any, script: list[int], parser: str) -> bool:
    """Whether the parser reads the call at all: where it doesn't, the chain has nothing to keep."""
    message = await TurnParser(tokenizer, parser).message(script[:-1], [TOOL], lambda: "call_0")
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return calls == [{"name": NAME, "arguments": ARGUMENTS}]


def _script(tokenizer: Any) -> tuple[list[int], int]:
    """A tool call in the model's own tokens, its end included, and what prompt and answer take together."""
    own = frozenset([tokenizer.eos_token_id]) - {None}
    written = write_turn(tokenizer, MESSAGES, tool_turn(), own)
    end = list(own) if written.end is None else [written.end]
    said = [*tokenizer(written.text, add_special_tokens=False)["input_ids"], *end]
    prompt = tokenizer(render(tokenizer, MESSAGES, tools=[TOOL], generate=True))["input_ids"]
    # LiteLLM may spell the tool's schema a little longer for one protocol than for the other.
    return said, 2 * len(prompt) + len(said)


@contextlib.asynccontextmanager
async def _replica(config: RunConfig, script: list[int], room: int) -> AsyncIterator[tuple[str, Generate]]:
    from liverl.probe.scripted_replica import ScriptedReplica, cpu_replica

    folder = config.model.folder
    if config.engine.rollout != "cpu" or weight_bytes(folder) > MOST_BYTES:
        yield "scripted", ScriptedReplica(script).generate
        return
    threads = config.engine.cpu_threads or len(os.sched_getaffinity(0))
    async with cpu_replica(folder, script, capacity=room, threads=threads) as generate:
        yield "cpu", generate
