"""Real trials of Claude Code's own binary in the sandbox, against a scripted endpoint."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from liverl.errors import SandboxError
from liverl.scaffold.claude_code import find_binary
from liverl.trial.run import TrialOutcome, TrialSpec, run_trial
from tests.scaffold.anthropic import ScriptedMessages
from tests.trial.conftest import SOLVE, MakeTask

pytestmark = [pytest.mark.sandbox, pytest.mark.claude]
SAYS: list[dict[str, Any]] = [{"type": "text", "text": "Done."}]


def runs(command: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "name": "Bash", "input": {"command": command, "description": "x"}}]


@pytest.fixture(scope="module")
def binary() -> Path:
    name = os.environ.get("LIVERL_CLAUDE_BINARY", "") or shutil.which("claude") or ""
    try:
        return find_binary(name)
    except SandboxError as error:
        pytest.skip(f"{error.message} {error.evidence}")


async def attempt(task: Path, model: ScriptedMessages, binary: Path, **options: Any) -> TrialOutcome:
    async with model.serving():
        return await run_trial(
            TrialSpec(
                task=task,
                name="trial-1",
                trials_dir=task.parents[1] / "trials",
                scaffold="claude-code",
                options={"binary": str(binary), **options},
                base_url=model.url,
                token="the-token-of-this-trial",
            )
        )


async def test_claude_code_solves_a_task_through_the_door(
    make_task: MakeTask, binary: Path, tmp_path: Path
) -> None:
    model = ScriptedMessages(runs("cat program.py"), runs(SOLVE), SAYS)
    outcome = await attempt(make_task(), model, binary)
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("solved", "", 1.0), outcome.error
    assert outcome.turns == 3
    assert [one["command"] for one in outcome.commands] == ["cat program.py", SOLVE]
    assert "print('broken')" in outcome.commands[0]["output"]
    # Some versions first ask whether the endpoint is there, without a credential.
    with_token = [path for path, token in zip(model.paths, model.tokens, strict=True) if token]
    assert set(model.tokens) - {""} == {"Bearer the-token-of-this-trial"}
    assert all(path.startswith("/v1/messages") for path in with_token)
    first = next(body for body in model.asked if "tools" in body)
    tools = {tool["name"] for tool in first["tools"]}
    print(f"{outcome.seconds['agent']:.1f} s, {len(str(first)) // 4} tokens, tools {sorted(tools)}")
    assert {"Bash", "Edit", "Read", "Write"} <= tools
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "app"]
    assert [path for path in written if b"the-token-of-this-trial" in path.read_bytes()] == []


async def test_claude_code_out_of_turns_is_graded(make_task: MakeTask, binary: Path) -> None:
    outcome = await attempt(make_task(), ScriptedMessages(runs("true")), binary, max_turns=2)
    assert (outcome.outcome, outcome.reward) == ("max_turns", 0.0), outcome.error


async def test_a_failing_endpoint_is_the_gateways_fault(make_task: MakeTask, binary: Path) -> None:
    outcome = await attempt(make_task(), ScriptedMessages(401), binary)
    assert (outcome.outcome, outcome.blame, outcome.reward) == ("infrastructure", "gateway", None), (
        outcome.error
    )
