"""What answers cost a model: UTF-8 bytes of compact JSON by 3.5, on runs that have a lot to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.operate.answer import as_json
from liverl.operate.check import Checked
from liverl.preflight import Finding
from liverl.record.trajectory import Segment, write_trajectory
from tests.mcp_server.conftest import Connect, tokens
from tests.operate.made import Made

STATUS, PREFLIGHT, DIAGNOSE, TAIL, TRIAL, OTHER = 250, 600, 900, 1500, 2500, 2500
ALL_LINES = 8000  # asked for by name; hosts warn from 10,000 on
NAME = "qwen3-30b-a3b-instruct-2507-claude-code-1121abc"
# The summary's own test holds it below 900 bytes.
CONFIGURATION = {f"A field {index:02}": "x" * 30 for index in range(18)}


@pytest.fixture
def busy(made: Made, here: Path) -> str:
    """A run with much of everything: long names, many trials, a noisy log, a trial of many long turns."""
    trials = tuple(
        {
            "trial": f"repair-the-very-long-named-repository-{index:04d}__attempt",
            "task": f"repair-the-very-long-named-repository-{index:04d}",
            "outcome": "infrastructure",
            "blame": "sandbox",
            "reward": None,
            "error": "é" * 900,
            "path": "trials/train/v0001/long",
        }
        for index in range(120)
    )
    run = made(NAME, state="failed", steps=tuple((step, step / 40) for step in range(1, 30)), trials=trials,
               reason="the trainer was killed by SIGKILL; " + "because of something long " * 30)  # fmt: skip
    with run.attempt_log(1).open("w") as log:
        for index in range(3000):
            log.write(f"(TaskRunner pid={index}) step:{index} - actor/entropy:0.1 - text:{'ö' * 700}\n")
    folder = run.root / "trials" / "train" / "v0001" / "long"
    folder.mkdir(parents=True)
    call = {"id": "c", "function": {"name": "bash", "arguments": '{"command": "' + "ls " * 900 + '"}'}}
    turns = [
        {"role": "assistant", "content": "I think. " * 400, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "out " * 3000},
    ]
    write_trajectory(folder, [Segment([1] * 9, [2] * 9, [1] * 9, [0.0] * 9)] * 30, turns * 120, [])
    return NAME


@pytest.mark.parametrize(
    ("tool", "arguments", "limit"),
    [
        ("status", {}, STATUS),
        ("diagnose", {}, DIAGNOSE),
        ("tail_log", {}, TAIL),
        ("tail_log", {"lines": 200, "raw": True}, ALL_LINES),
        ("show_trial", {"trial": "repair-the-very-long-named-repository-0119__attempt"}, TRIAL),
        ("trials", {}, OTHER),
        ("list_runs", {}, OTHER),
    ],
)
async def test_an_answer_stays_within_its_budget(
    busy: str, connect: Connect, tool: str, arguments: dict[str, object], limit: int
) -> None:
    async with connect() as speaker:
        answer = await speaker.call(tool, **arguments)
    assert tokens(answer) <= limit, tokens(answer)


def test_a_preflight_with_everything_wrong_stays_within_its_budget() -> None:
    findings = tuple(
        Finding(f"area:what_{index}", "fatal", "t" * 150, "e" * 800, "c" * 300) for index in range(40)
    )
    answer = as_json(Checked(findings, "0123456789ab", CONFIGURATION))
    assert tokens(answer) <= PREFLIGHT, tokens(answer)
    assert answer["findings"] and "more" in answer
