"""The reward of one policy folder: `python -m bench.evaluate --policy DIR --temperature 0 --trials 1`.

Replica, gateway, LiteLLM, sandbox and verifier are those of a run, in one process and without Ray or a trainer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.door import open_door
from bench.estimate import Rewards, estimate
from liverl.config import RunConfig, load, parse_overrides
from liverl.engine.desk import Desk, make_desk
from liverl.engine.tables import task_folders
from liverl.engine.trials import TrialRun, run_with_retries
from liverl.errors import LiveRLError
from liverl.preflight import machine_facts
from liverl.record.layout import RunDir

ROOT = Path(__file__).resolve().parents[1]


def evaluate(
    config: RunConfig, tasks: Sequence[Path], temperature: float, trials: int, work: Path
) -> Rewards:
    """The rewards of `trials` trials of each task, by task; those that could not be scored are left out.

    `work` must not exist; it becomes a run directory with every trial in it. Temperature 0 is greedy decoding.
    """
    run = RunDir.create(work.resolve())
    os.environ |= {"LIVERL_RUN_DIR": str(run.root), "LIVERL_ATTEMPT": "1"}
    with open_door(run.data):
        return asyncio.run(_evaluate(config, run, tasks, temperature, trials))


async def _evaluate(
    config: RunConfig, run: RunDir, tasks: Sequence[Path], temperature: float, trials: int
) -> Rewards:
    from transformers import AutoTokenizer

    from liverl.engine.cpu.replica import CpuServer

    tokenizer = AutoTokenizer.from_pretrained(config.model.folder)
    server = CpuServer(
        str(config.model.folder),
        slots=config.engine.max_num_seqs,
        capacity=config.rollout.max_prompt_length + config.rollout.max_response_length,
        threads=config.engine.cpu_threads or os.cpu_count() or 1,
        seed=config.experiment.seed,
    )
    logging.disable(logging.INFO)  # whatever level imported libraries set
    try:
        desk = await make_desk(run, config, server, tokenizer)
        try:
            ended = await asyncio.gather(
                *(
                    _trial(desk, task, number, place, temperature)
                    for number, task in enumerate(tasks)
                    for place in range(trials)
                )
            )
        finally:
            await desk.gateway.stop()
    finally:
        await asyncio.to_thread(server.thread.stop)
    rewards: dict[str, list[float]] = defaultdict(list)
    for name, trial in ended:
        if trial.reward is not None:
            rewards[name].append(trial.reward)
    return dict(rewards)


async def _trial(desk: Desk, task: Path, number: int, place: int, temperature: float) -> tuple[str, TrialRun]:
    row: dict[str, Any] = {
        "extra_info": {"path": str(task), "split": "val"},
        "global_steps": 0,
        "uid": f"{number:04d}",
        "session_id": place,
    }
    queued = time.time()
    async with desk.places:
        return task.name, await run_with_retries(desk, {"temperature": temperature}, row, queued)


def read_config(policy: Path, config: Path = ROOT / "config.yaml", given: Sequence[str] = ()) -> RunConfig:
    """The configuration that ships, for this policy."""
    overrides = parse_overrides(given) | {"model.path": str(policy.resolve())}
    return load(config, machine_facts(), overrides=overrides)


def main() -> int:
    """Print the mean reward, or all as JSON; 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluate", description=__doc__)
    parser.add_argument("--policy", type=Path, required=True, help="a Hugging Face folder")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--trials", type=int, default=8, help="of each task")
    parser.add_argument(
        "--tasks", type=Path, help="folder of task folders; default: the configuration's data.val"
    )
    parser.add_argument("--config", type=Path, default=ROOT / "config.yaml")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[])
    parser.add_argument("--work", type=Path, help="a folder to make and keep, with every trial in it")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    began = time.monotonic()
    try:
        config = read_config(arguments.policy, arguments.config, arguments.set)
        tasks = task_folders((arguments.tasks or config.data.val).resolve())
        with tempfile.TemporaryDirectory(prefix="liverl-evaluate-") as scratch:
            work = arguments.work or Path(scratch) / "run"
            rewards = evaluate(config, tasks, arguments.temperature, arguments.trials, work)
        found = estimate(rewards)
    except (LiveRLError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    seconds = time.monotonic() - began
    if arguments.json:
        shown = {
            **asdict(found),
            "temperature": arguments.temperature,
            "seconds": seconds,
            "rewards": rewards,
        }
        print(json.dumps(shown))
        return 0
    print(f"reward {found.mean:.3f} of {found.trials} trials of {found.tasks} tasks, {seconds:.0f} s")
    print(f"95 %: {found.over_tasks} over tasks, {found.over_trials} over trials")
    return 0


if __name__ == "__main__":
    sys.exit(main())
