"""What becomes of a trial of a run: its row, its files, its retries, and what enters training."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig
from liverl.engine.desk import Desk
from liverl.engine.trials import TrialRun, run_with_retries
from liverl.gateway.calls import Generation
from liverl.gateway.server import Gateway
from liverl.record.events import each_posted
from liverl.record.layout import RunDir
from liverl.record.trajectory import read_trajectory
from liverl.record.trials import TrialRow, read_trials
from tests.gateway.chat_model import KEY, small_tokenizer
from tests.trial.conftest import GRADE, MakeTask, make_task  # noqa: F401  (a fixture)

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(
        shutil.which("bwrap") is None, reason="bwrap is not installed: bash scripts/setup_env.sh"
    ),
]

COMMAND = """echo 'print("fixed")' > program.py"""
FIX = f'<tool_call>\n{{"name": "bash", "arguments": {{"command": {json.dumps(COMMAND)}}}}}\n</tool_call>'


HANG = "never answered"


class ScriptedReplica:
    """Stands in for the replica: answers each session with the next text of a list; an exception is raised."""

    def __init__(self, tokenizer: Any, turns: Callable[[str], list[str | Exception]]) -> None:
        self.tokenizer = tokenizer
        self.turns = turns
        self.left: dict[str, list[str | Exception]] = {}

    async def generate(self, session: str, prompt_ids: list[int], sampling: dict[str, Any]) -> Generation:
        left = self.left.setdefault(session, self.turns(session))
        turn = left.pop(0)
        if turn == HANG:
            await asyncio.Event().wait()
        if isinstance(turn, Exception):
            raise turn
        ids = [*self.tokenizer.encode(turn, add_special_tokens=False), self.tokenizer.eos_token_id]
        return Generation(ids, [-0.5] * len(ids), "completed", 3)


class Bench:
    """A desk whose replica is scripted, and a task."""

    def __init__(self, desk: Desk, task: Path) -> None:
        self.desk = desk
        self.task = task

    async def run(self, split: str = "train", step: int = 4) -> TrialRun:
        row = {
            "extra_info": {"path": str(self.task), "split": split},
            "global_steps": step,
            "uid": "abcd-1",
            "session_id": 2,
        }
        return await run_with_retries(self.desk, {"temperature": 1.0}, row, 0.0)

    @property
    def rows(self) -> list[TrialRow]:
        return read_trials(self.desk.run)


@pytest.fixture
async def bench(tmp_path: Path, make_task: MakeTask) -> AsyncIterator[Callable[..., Any]]:  # noqa: F811
    """Makes a bench from scripted turns; its gateway is stopped after the test."""
    gateways: list[Gateway] = []
    tokenizer = small_tokenizer()

    async def make(
        turns: Callable[[str], list[str | Exception]], grade: str = GRADE, **trial: float
    ) -> Bench:
        replica = ScriptedReplica(tokenizer, turns)
        gateway = Gateway(replica.generate, tokenizer, tool_parser="hermes", key=KEY, max_model_len=4000)
        gateways.append(gateway)
        url = await gateway.start()
        config = RunConfig.model_validate(
            {"rollout": {"max_prompt_length": 2000, "max_response_length": 2000}, "trial": trial}
        )
        desk = Desk(RunDir.create(tmp_path / "run"), config, gateway, asyncio.Semaphore(4), url)
        return Bench(desk, make_task(grade=grade))

    yield make
    for gateway in gateways:
        await gateway.stop()


async def test_a_solved_trial_leaves_a_row_a_folder_and_its_exact_tokens(bench: Callable[..., Any]) -> None:
    here = await bench(lambda _: [FIX, "Done."])
    trial = await here.run()
    [row] = here.rows
    assert (trial.outcome, trial.reward, row.outcome, row.reward, row.blame) == (
        "solved",
        1.0,
        "solved",
        1.0,
        "",
    )
    assert (row.step, row.weight_version, row.turns, row.tries) == (4, 3, 2, 1)
    folder = here.desk.run.root / row.path
    assert folder.parent == here.desk.run.trials / "train" / "v0003"
    [segment] = read_trajectory(folder).segments
    assert segment == trial.segments[0]
    assert {lp for lp, m in zip(segment.response_logprobs, segment.response_mask, strict=True) if m} == {-0.5}
    assert {kind for kind, _, _ in row.spans} == {"generation", "sandbox", "command", "verifier"}


async def test_a_failed_replica_is_retried_and_then_the_trial_counts(bench: Callable[..., Any]) -> None:
    def turns(session: str) -> list[str | Exception]:
        return [FIX, "Done."] if session.endswith("-r2") else [RuntimeError("replica lost")]

    here = await bench(turns)
    trial = await here.run()
    assert (trial.reward, here.rows[0].tries) == (1.0, 2)
    [event] = list(each_posted(here.desk.run))
    assert (event.kind, event.fields["blame"], event.fields["retry"]) == ("trial_failed", "engine", True)


async def test_a_trial_that_nobody_could_run_enters_no_training(bench: Callable[..., Any]) -> None:
    here = await bench(lambda _: [RuntimeError("replica lost")])
    trial = await here.run()
    assert (trial.reward, trial.segments) == (None, [])
    [row] = here.rows
    assert (row.outcome, row.blame, row.reward, row.tries) == ("infrastructure", "engine", None, 3)
    assert "replica lost" in row.error
    assert len(list((here.desk.run.trials / "train" / "v0003").iterdir())) == 3


async def test_a_verifier_without_a_verdict_is_not_the_agents_failure(bench: Callable[..., Any]) -> None:
    here = await bench(lambda _: ["Done."], grade="true")
    trial = await here.run()
    assert (trial.reward, trial.segments, here.rows[0].blame) == (None, [], "verifier")


async def test_an_unsolved_trial_is_trained_on_with_reward_zero(bench: Callable[..., Any]) -> None:
    here = await bench(lambda _: ["Nothing to do."])
    trial = await here.run("val", 10)
    assert (trial.outcome, trial.reward, len(trial.segments)) == ("unsolved", 0.0, 1)
    assert here.rows[0].path.startswith("trials/val/0010/")


async def test_half_a_surrogate_pair_in_a_tool_call_costs_no_trial(bench: Callable[..., Any]) -> None:
    broken = FIX.replace("echo", "true \\ud83d; echo")
    here = await bench(lambda _: [broken, "Done."])
    trial = await here.run()
    [row] = here.rows
    assert (trial.reward, row.outcome, row.turns) == (1.0, "solved", 2)
    assert "true \ufffd;" in str(read_trajectory(here.desk.run.root / row.path).messages)


async def test_a_trajectory_that_cannot_be_written_makes_the_trial_nobodys(bench: Callable[..., Any]) -> None:
    made: list[Bench] = []

    def turns(session: str) -> list[str | Exception]:
        folder = made[0].desk.run.trials / "train" / "v0003" / session / "trajectory.json.gz"
        folder.mkdir(parents=True)
        return [FIX, "Done."]

    made.append(await bench(turns, retries=1))
    trial = await made[0].run()
    [row] = made[0].rows
    assert (trial.reward, trial.segments) == (None, [])
    assert (row.outcome, row.blame, row.reward, row.tries) == ("infrastructure", "sandbox", None, 2)
    events = list(each_posted(made[0].desk.run))
    assert [event.kind for event in events] == ["trial_failed"] * 2
    assert "can't be put on record" in events[0].fields["error"]


async def test_a_trial_whose_row_cannot_be_written_is_told_and_not_trained_on(
    bench: Callable[..., Any],
) -> None:
    here = await bench(lambda _: [FIX, "Done."])
    here.desk.run.trials_jsonl.mkdir()
    trial = await here.run()
    assert (trial.outcome, trial.reward, trial.segments) == ("infrastructure", None, [])
    [event] = list(each_posted(here.desk.run))
    assert (event.kind, event.fields["retry"]) == ("trial_failed", False)
    assert "IsADirectoryError" in event.fields["error"]


async def test_a_timeout_spent_waiting_for_the_replica_is_the_engines(bench: Callable[..., Any]) -> None:
    here = await bench(lambda _: [FIX, HANG], agent_timeout_s=3, retries=0)
    trial = await here.run()
    [row] = here.rows
    assert (trial.reward, row.outcome, row.blame) == (None, "infrastructure", "engine")
    assert "left a call unanswered" in row.error
    assert row.turns == 1


async def test_a_timeout_spent_in_a_command_is_the_agents(bench: Callable[..., Any]) -> None:
    slow = FIX.replace(COMMAND.split()[0], "sleep 9; echo", 1)
    here = await bench(lambda _: [slow, "Done."], agent_timeout_s=3, retries=0)
    await here.run()
    [row] = here.rows
    assert (row.outcome, row.blame, row.reward) == ("timeout", "agent", 0.0)
