"""Does each task's solution score 1 and doing nothing 0? Tried in real sandboxes, and remembered."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.errors import LiveRLError
from liverl.probe.memory import Memory, task_key
from liverl.trial.run import check_task
from liverl.trial.task import list_tasks

# Two trials a task; more at once than this and a busy machine's timeouts are measured, not its tasks.
_MOST_AT_ONCE = 8


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """One row a task: `oracle` and `nothing` with `cached`, or `error`, or `unchecked` where time ran out.

    A light look tries nothing: what is not remembered is `unchecked`.
    """
    memory = Memory.in_user_cache("tasks")
    limit_s = 0.0 if light else timeout_s
    try:
        rows = asyncio.run(_try_all(config, memory, time.monotonic() + limit_s))
    finally:
        memory.save()
    return {"tasks": rows}


async def _try_all(config: RunConfig, memory: Memory, deadline: float) -> list[dict[str, Any]]:
    at_once = max(1, min(_MOST_AT_ONCE, config.trial.concurrency, len(os.sched_getaffinity(0))))
    gate = asyncio.Semaphore(at_once)
    sets = (("train", config.data.train), ("val", config.data.val))
    tasks = [(split, task) for split, folder in sets for task in list_tasks(folder)]
    tried = (_try_one(split, task, config, memory, gate, deadline) for split, task in tasks)
    return list(await asyncio.gather(*tried))


async def _try_one(
    split: str, task: Path, config: RunConfig, memory: Memory, gate: asyncio.Semaphore, deadline: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"task": task.name, "split": split, "path": str(task)}
    limits = {
        "memory_mb": config.sandbox.memory_mb,
        "processes": config.sandbox.processes,
        "disk_mb": config.sandbox.disk_mb,
    }
    key = await asyncio.to_thread(task_key, task, limits)
    known = memory.recall(key)
    if known is not None:
        return {**row, **known, "cached": True}
    async with gate:
        if time.monotonic() >= deadline:
            return {**row, "unchecked": True}
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                oracle, nothing = await check_task(task, **limits)
        except TimeoutError:
            return {**row, "unchecked": True}
        except LiveRLError as error:
            return {**row, "error": error.as_dict()}
    scores = {"oracle": oracle, "nothing": nothing}
    if oracle >= 1 and nothing == 0:
        memory.remember(key, scores)
    return {**row, **scores, "cached": False}
