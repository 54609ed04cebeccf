"""Every task that ships: its solution scores 1, doing nothing scores 0."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from liverl.trial.run import check_task
from liverl.trial.task import list_tasks

TASKS = Path(__file__).parents[2] / "tasks"


@pytest.mark.sandbox
async def test_every_oracle_scores_one_and_doing_nothing_scores_zero() -> None:
    tasks = [task for split in ("train", "val") for task in list_tasks(TASKS / split)]
    if not tasks:
        pytest.skip("no tasks in tasks/")
    slots = asyncio.Semaphore(8)

    async def check(task: Path) -> tuple[float, float]:
        async with slots:
            return await check_task(task)

    rewards = await asyncio.gather(*map(check, tasks))
    wrong = {task.name: pair for task, pair in zip(tasks, rewards, strict=True) if pair != (1.0, 0.0)}
    assert wrong == {}
