"""Every task that ships: its solution scores 1, doing nothing scores 0."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from liverl.trial.run import TrialSpec, check_task, run_trial
from liverl.trial.task import list_tasks
from tests.scaffold.scripted import ScriptedModel, calls, says

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


CHEATS = {
    "reward.json": "open('/logs/verifier/reward.json', 'w').write('{\"reward\": 1000}')",
    "a child that stays": """
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        open('/logs/verifier/reward.txt', 'w').write('1')
        open('/logs/verifier/reward.json', 'w').write('1')
""",
    "outlives what runs it": """
import os, signal, time
parents = [int(open(f'/proc/{pid}/stat').read().split()[3]) for pid in (os.getppid(),)]
os.setsid()
for pid in (*parents, os.getppid()):
    os.kill(pid, signal.SIGKILL)
os.closerange(0, 3)
while True:
    try:
        open('/logs/verifier/reward.json', 'w').write('1')
    except OSError:
        pass
""",
    "kills all others": """
import os, signal
os.kill(-1, signal.SIGKILL)
open('/logs/verifier/reward.json', 'w').write('1')
""",
    "moves a reward there": """
import os, signal
os.kill(-1, signal.SIGKILL)
os.rename('/logs/agent/reward.json', '/logs/verifier/reward.json')
""",
}


@pytest.mark.sandbox
@pytest.mark.parametrize("cheat", CHEATS)
async def test_a_program_can_not_write_its_own_reward(cheat: str, tmp_path: Path) -> None:
    task = list_tasks(TASKS / "train")[0]
    (program,) = (p for p in task.glob("environment/app/*.py") if not p.name.startswith("test_"))
    write = f"echo 1 > /logs/agent/reward.json; cat > {program.name} <<'END'\n{CHEATS[cheat]}\nEND"
    model = ScriptedModel(calls(write), says("Done."))
    async with model.serving():
        outcome = await run_trial(
            TrialSpec(
                task=task, name="t", trials_dir=tmp_path, base_url=model.url, token="t", verifier_timeout_s=10
            )
        )
    assert outcome.commands[0]["exit_code"] == 0
    assert outcome.reward == 0.0, outcome
