"""One trial, live, with no trainer: `python -m liverl.engine.single TASK --run-dir DIR`.

The same replica, gateway, LiteLLM and trial as in a run, in one process and without Ray. What the policy samples and
what it is shown are printed as they happen; row and files go to the run directory as always.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.engine.desk import Desk, make_desk
from liverl.engine.trials import TrialRun, run_with_retries
from liverl.errors import LiveRLError
from liverl.record.layout import RunDir


def main() -> int:
    """Run the trial; 0 when it was scored, 1 when it could not be."""
    parser = argparse.ArgumentParser(prog="python -m liverl.engine.single")
    parser.add_argument("task", type=Path)
    parser.add_argument("--run-dir", type=Path, required=True)
    arguments = parser.parse_args()
    logging.getLogger().setLevel(logging.WARNING)
    try:
        trial = asyncio.run(_run(arguments.task.resolve(), RunDir(arguments.run_dir.resolve())))
    except LiveRLError as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    return 1 if trial.reward is None else 0


async def _run(task: Path, run: RunDir) -> TrialRun:
    config = RunConfig.read_resolved(run.resolved)
    row = {
        "extra_info": {"path": str(task), "split": "val"},
        "global_steps": 0,
        "uid": "single",
        "session_id": 0,
    }
    sampling = {"temperature": config.rollout.val_temperature}
    print(f"loading {config.model.folder}", flush=True)
    async with _replica(config) as (client, tokenizer):
        logging.getLogger().setLevel(logging.WARNING)
        with _door(config, run):
            desk: Desk = await make_desk(run, config, Talking(client, tokenizer), tokenizer)
            try:
                return await run_with_retries(desk, sampling, row, time.time())
            finally:
                await desk.gateway.stop()


class Talking:
    """A replica that prints each conversation's new part and the answer to it."""

    def __init__(self, client: Any, tokenizer: Any) -> None:
        self.client = client
        self.tokenizer = tokenizer
        self.shown: dict[str, int] = {}

    async def generate(
        self, *, request_id: str, prompt_ids: list[int], sampling_params: dict[str, Any]
    ) -> Any:
        """The replica's answer; the check of the chain stays silent."""
        output = await self.client.generate(
            prompt_ids=prompt_ids, sampling_params=sampling_params, request_id=request_id
        )
        if not request_id.startswith("chain-check"):
            fed = self.tokenizer.decode(prompt_ids[self.shown.get(request_id, 0) :])
            said = self.tokenizer.decode(output.token_ids)
            self.shown[request_id] = len(prompt_ids) + len(output.token_ids)
            print(f"{_indented(fed, '  ')}\n{_indented(said, '> ')}", flush=True)
        return output


def _indented(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in text.strip().splitlines())


@contextlib.asynccontextmanager
async def _replica(config: RunConfig) -> AsyncIterator[tuple[Any, Any]]:
    from transformers import AutoTokenizer

    from liverl.engine.cpu.replica import CpuServer

    tokenizer = AutoTokenizer.from_pretrained(config.model.folder)
    server = CpuServer(
        str(config.model.folder),
        slots=2,
        capacity=config.rollout.max_prompt_length + config.rollout.max_response_length,
        threads=config.engine.cpu_threads or os.cpu_count() or 1,
        seed=config.experiment.seed,
    )
    try:
        yield server, tokenizer
    finally:
        await asyncio.to_thread(server.thread.stop)


@contextlib.contextmanager
def _door(config: RunConfig, run: RunDir) -> Iterator[None]:
    """LiteLLM for the time of the trial; it dies with this process even when that is killed."""
    command = [sys.executable, "-m", "liverl.gateway.door", "--port", str(config.infrastructure.litellm_port)]
    command += ["--parent", str(os.getpid())]
    with run.attempt_log(1).open("ab") as log:
        door = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *command, "--work", str(run.data)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        door.terminate()
        try:
            door.wait(timeout=10)
        except subprocess.TimeoutExpired:
            door.kill()
            door.wait()


if __name__ == "__main__":
    sys.exit(main())
