"""Real trials: Harbor, a sandbox, the shell scaffold, a scripted model."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from liverl.errors import TaskError, VerifierError
from liverl.sandbox.limits import detect
from liverl.trial.run import TrialOutcome, TrialSpec, check_task, run_trial
from tests.scaffold.scripted import ScriptedModel, calls, says
from tests.trial.conftest import SOLVE, MakeTask

pytestmark = pytest.mark.sandbox


async def attempt(task: Path, model: ScriptedModel, **fields: Any) -> TrialOutcome:
    async with model.serving():
        spec = {"name": "trial-1", "trials_dir": task.parents[1] / "trials", "base_url": model.url, **fields}
        return await run_trial(TrialSpec(task=task, token="the-token-of-this-trial", **spec))


async def test_an_agent_that_fixes_the_program_solves_its_task(make_task: MakeTask) -> None:
    model = ScriptedModel(calls("cat program.py"), calls(SOLVE, "false"), says("Done."))
    outcome = await attempt(make_task(), model)
    assert (outcome.outcome, outcome.blame, outcome.reward, outcome.turns) == ("solved", "", 1.0, 3), (
        outcome.error
    )
    assert [one["output"] for one in outcome.commands] == ["print('broken')", "", "[exit 1]"]
    assert [one["exit_code"] for one in outcome.commands] == [0, 0, 1]
    roles = [message["role"] for message in outcome.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "tool", "assistant"]
    assert model.tokens == ["bearer the-token-of-this-trial"] * 3
    assert model.asked[1]["messages"][2] == calls("cat program.py")["choices"][0]["message"]


async def test_the_seconds_and_spans_say_where_the_time_went(make_task: MakeTask) -> None:
    begun = time.time()
    outcome = await attempt(make_task(), ScriptedModel(calls("sleep 0.3"), says("Done.")))
    assert set(outcome.seconds) == {"sandbox", "agent", "commands", "verifier", "total"}
    assert 0.3 <= outcome.seconds["commands"] <= outcome.seconds["agent"] <= outcome.seconds["total"]
    assert {kind for kind, _, _ in outcome.spans} == {"sandbox", "command", "verifier"}
    assert all(begun <= start <= end <= time.time() for _, start, end in outcome.spans)


async def test_doing_nothing_is_unsolved(make_task: MakeTask) -> None:
    outcome = await attempt(make_task(), ScriptedModel(says("It is fine.")))
    assert (outcome.outcome, outcome.blame, outcome.reward, outcome.turns) == ("unsolved", "", 0.0, 1)


async def test_the_token_is_written_nowhere_and_seen_by_no_command(
    make_task: MakeTask, tmp_path: Path
) -> None:
    outcome = await attempt(make_task(), ScriptedModel(calls("env"), says("Done.")))
    assert "the-token-of-this-trial" not in outcome.commands[0]["output"]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "result.json" for path in written)
    assert [path for path in written if b"the-token-of-this-trial" in path.read_bytes()] == []


async def test_harbor_writes_in_the_trials_own_folder_only(make_task: MakeTask, tmp_path: Path) -> None:
    outcome = await attempt(make_task(), ScriptedModel(says("Done.")))
    assert {path.name for path in tmp_path.iterdir()} == {"tasks", "trials"}
    assert [path.name for path in (tmp_path / "trials").iterdir()] == ["trial-1"]
    assert (outcome.path / "verifier" / "reward.txt").read_text() == "0\n"


async def test_running_out_of_turns_is_graded(make_task: MakeTask) -> None:
    outcome = await attempt(make_task(), ScriptedModel(calls(SOLVE)), options={"max_turns": 2})
    assert (outcome.outcome, outcome.blame, outcome.reward, outcome.turns) == ("max_turns", "", 1.0, 2)


async def test_an_answer_cut_off_by_its_length_is_overlong(make_task: MakeTask) -> None:
    outcome = await attempt(make_task(), ScriptedModel(says("and so on and", "length")))
    assert (outcome.outcome, outcome.reward, outcome.turns) == ("overlong", 0.0, 1)


async def test_a_full_context_is_overlong(make_task: MakeTask) -> None:
    full = (400, {"error": {"message": "exceeds the model's maximum context length", "code": 400}})
    outcome = await attempt(make_task(), ScriptedModel(calls("true"), full))
    assert (outcome.outcome, outcome.reward, outcome.turns) == ("overlong", 0.0, 1)


async def test_a_command_out_of_time_is_an_observation(make_task: MakeTask) -> None:
    model = ScriptedModel(calls("sleep 50"), says("Slow."))
    outcome = await attempt(make_task(), model, options={"command_timeout_s": 0.3})
    assert outcome.commands[0]["output"] == "the command was stopped after 0.3 s\n[exit 124]"
    assert outcome.outcome == "unsolved"


async def test_an_agent_out_of_time_is_graded_all_the_same(make_task: MakeTask) -> None:
    model = ScriptedModel(calls(SOLVE), calls("sleep 60"))
    outcome = await attempt(make_task(), model, agent_timeout_s=1.5)
    assert (outcome.outcome, outcome.blame, outcome.reward, outcome.turns) == ("timeout", "agent", 1.0, 2)


async def test_nonsense_for_a_tool_call_is_answered(make_task: MakeTask) -> None:
    wrong = calls("x")
    wrong["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '{"command": 5'
    outcome = await attempt(make_task(), ScriptedModel(wrong, says("Done.")))
    assert outcome.messages[3]["content"].endswith("[exit 2]")
    assert (outcome.outcome, outcome.commands) == ("unsolved", [])


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_a_failing_endpoint_is_the_gateways_fault(make_task: MakeTask, status: int) -> None:
    outcome = await attempt(make_task(), ScriptedModel(calls(SOLVE), (status, {"error": "broken"})))
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("infrastructure", "gateway", None)
    assert str(status) in outcome.error


async def test_a_dead_endpoint_is_the_gateways_fault(make_task: MakeTask, tmp_path: Path) -> None:
    spec = TrialSpec(
        task=make_task(), name="t", trials_dir=tmp_path / "trials", base_url="http://127.0.0.1:1"
    )
    outcome = await run_trial(spec)
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("infrastructure", "gateway", None)


@pytest.mark.parametrize(
    "grade",
    ["true", "echo nan > /logs/verifier/reward.txt", "echo good > /logs/verifier/reward.txt", "exit 1"],
)
async def test_a_verifier_without_a_number_is_the_verifiers_fault(make_task: MakeTask, grade: str) -> None:
    outcome = await attempt(make_task(grade=grade), ScriptedModel(says("Done.")))
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("infrastructure", "verifier", None)


async def test_a_verifier_out_of_time_is_the_verifiers_fault(make_task: MakeTask) -> None:
    outcome = await attempt(make_task(grade="sleep 60"), ScriptedModel(says("Done.")), verifier_timeout_s=0.5)
    assert (outcome.outcome, outcome.blame) == ("infrastructure", "verifier")


RUNS = "python3 program.py; echo 1 > /logs/verifier/reward.txt"
WRECKS = {
    "a verifier that never ends": (RUNS, "echo 'while True: pass' > program.py"),
    "no reward": ("python3 program.py", SOLVE),
    "a reward beyond 1": (
        RUNS,
        """echo "open('/logs/verifier/reward.json', 'w').write('1000')" > program.py""",
    ),
    "a reward that is a folder": (
        RUNS,
        "echo 'import os; os.mkdir(\"/logs/verifier/reward.json\")' > program.py",
    ),
    "logs that nobody may read": (RUNS, "echo 'import os; os.chmod(\"/logs/verifier\", 0)' > program.py"),
}


@pytest.mark.parametrize("wreck", WRECKS)
async def test_a_grading_that_the_agents_program_wrecks_is_the_agents_fault(
    make_task: MakeTask, wreck: str
) -> None:
    grade, command = WRECKS[wreck]
    model = ScriptedModel(calls(command), says("Done."))
    outcome = await attempt(make_task(grade=grade), model, verifier_timeout_s=3)
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("agent_error", "agent", 0.0), outcome.error
    assert outcome.error


@pytest.mark.parametrize(
    "closing",
    ["chmod 000 /app", "mkdir -p /tests/x/y; chmod 0 /tests/x", "mkdir /logs/verifier/x; chmod 0 /logs/verifier/x",
     "chmod 0 /logs /logs/verifier /tests", "head -c 99M /dev/zero > /logs/agent/full"],
)  # fmt: skip
async def test_what_the_agent_closed_or_filled_is_graded_all_the_same(
    make_task: MakeTask, closing: str
) -> None:
    outcome = await attempt(make_task(), ScriptedModel(calls(f"{SOLVE}; {closing}"), says("Done.")))
    assert (outcome.outcome, outcome.reward) == ("solved", 1.0), outcome.error


async def test_a_sandbox_that_dies_while_it_grades_is_the_sandboxes_fault(make_task: MakeTask) -> None:
    task = make_task(grade="sleep 60")
    trial = asyncio.create_task(
        attempt(task, ScriptedModel(calls(SOLVE), says("Done.")), verifier_timeout_s=30)
    )
    while not (
        first := [pid for pid in _first_processes() if (Path("/proc") / pid / "root/tests/test.sh").exists()]
    ):
        assert not trial.done()
        await asyncio.sleep(0.02)
    os.kill(int(first[0]), signal.SIGKILL)
    outcome = await trial
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("infrastructure", "sandbox", None)


def _first_processes() -> list[str]:
    """The first process of each sandbox that this process made."""
    own = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    below = (Path(f"/proc/{pid}/task/{pid}/children") for pid in own)
    return [pid for path in below if path.exists() for pid in path.read_text().split()]


async def test_a_task_without_tests_is_the_verifiers_fault(make_task: MakeTask) -> None:
    task = make_task()
    (task / "tests" / "test.sh").unlink()
    outcome = await attempt(task, ScriptedModel(says("Done.")))
    assert (outcome.outcome, outcome.blame) == ("infrastructure", "verifier")
    assert "tests/test.sh" in outcome.error


async def test_a_sandbox_that_can_not_start_is_the_sandboxes_fault(
    make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task()
    monkeypatch.setenv("PATH", str(task))
    outcome = await attempt(task, ScriptedModel(says("Done.")))
    assert (outcome.outcome, outcome.blame) == ("infrastructure", "sandbox")
    assert "bubblewrap" in outcome.error


async def test_a_scaffold_that_does_not_exist_is_not_the_agents_fault(make_task: MakeTask) -> None:
    outcome = await attempt(make_task(), ScriptedModel(says("Done.")), scaffold="nonesuch")
    assert (outcome.outcome, outcome.blame) == ("infrastructure", "sandbox")


async def test_a_cancelled_trial_stops_its_sandbox(make_task: MakeTask) -> None:
    task = asyncio.create_task(attempt(make_task(), ScriptedModel(calls("sleep 60"))))
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    own = f"liverl-sandbox-{os.getpid()}-*"
    left = [folder for parent in detect().parents.values() for folder in parent.glob(own)]
    assert left == []


async def test_the_controls_of_a_sound_task_are_one_and_nothing(make_task: MakeTask) -> None:
    assert await check_task(make_task()) == (1.0, 0.0)


async def test_a_task_whose_solution_fails_shows_in_its_controls(make_task: MakeTask) -> None:
    assert await check_task(make_task(solve="true")) == (0.0, 0.0)


@pytest.mark.parametrize("part", ["task.toml", "instruction.md", "environment", "tests/test.sh"])
async def test_a_task_that_lacks_a_part_is_named_before_anything_starts(
    make_task: MakeTask, part: str
) -> None:
    task = make_task()
    (task / part).rename(task / "elsewhere")
    with pytest.raises(TaskError, match=f"The task sample has no {part}"):
        await check_task(task)


async def test_a_task_that_can_not_be_graded_is_an_error_of_the_verifier(make_task: MakeTask) -> None:
    with pytest.raises(VerifierError, match="sample"):
        await check_task(make_task(grade="true"))


async def test_32_trials_run_at_once(make_task: MakeTask, tmp_path: Path) -> None:
    task = make_task()
    specs = [
        TrialSpec(task=task, name=f"t{n}", trials_dir=tmp_path / "trials", scaffold=("nop", "oracle")[n % 2])
        for n in range(32)
    ]
    begun = time.monotonic()
    outcomes = await asyncio.gather(*map(run_trial, specs))
    print(f"32 trials: {time.monotonic() - begun:.2f} s")
    assert [one.reward for one in outcomes] == [0.0, 1.0] * 16
