"""Interactive Claude Code: a person types a command, is asked before a run starts or ends, and is heeded."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from liverl.record.layout import RunDir
from liverl.record.runfile import read_run
from liverl.run.processes import start_ticks
from tests.operate.made import Made
from tests.plugin.checked import pass_preflight
from tests.plugin.claude import call, results_of, says
from tests.plugin.conftest import RUN
from tests.plugin.door import free_port
from tests.plugin.terminal import DOWN, ENTER, RIGHT, SPACE, Terminal, terminal
from tests.scaffold.anthropic import ScriptedMessages

pytestmark = pytest.mark.claude
PERMITS, FORM = "Do you want to proceed?", "requests your input"
NAME = "tried-by-hand"
# A monitor tells of a run within two seconds of its start.
QUIET_S = 6.0


@pytest.fixture
def runs(project: Path) -> Iterator[Path]:
    """Where the project's runs are; what still lives there at the end is killed."""
    folder = project / "runs"
    yield folder
    for path in folder.glob("*/run.json"):
        for process in read_run(RunDir(path.parent)).last.processes:
            if start_ticks(process.pid) == process.start_ticks:
                os.kill(process.pid, signal.SIGKILL)


async def type_in(shown: Terminal, text: str) -> int:
    """A prompt, and the key that sends it; where the drawing ended before."""
    before = await shown.press(text)
    await shown.until(text, before)
    await shown.press(ENTER)
    return before


async def answer_form(shown: Terminal, since: int, yes: bool, then: str) -> str:
    """Permit the call, answer the form, and wait until the model has said this; what the form has asked."""
    asked = await shown.until(PERMITS, since)
    formed = await shown.press_until(ENTER, FORM, asked)
    if yes:
        await shown.until("☒", await shown.press(SPACE))
    await shown.until("❯Accept", await shown.press(DOWN))
    if not yes:
        await shown.until("❯Decline", await shown.press(RIGHT))
    await shown.press_until(ENTER, then, formed)
    return shown.text(asked)


async def test_a_person_types_a_command_and_declines_and_accepts_a_launch_and_a_stop(
    binary: Path, project: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    mark = pass_preflight(project, home, (free_port(), free_port()), monkeypatch)
    launch = call("launch", fingerprint=mark, name=NAME)
    model = ScriptedMessages(
        [call("status")], says("None yet."),
        [launch], says("They said no."),
        [launch], says("It runs."),
        [call("stop", run=NAME)], says("It has ended."),
    )  # fmt: skip
    async with model.serving(), terminal(binary, project, home, model.url) as shown:
        await shown.until("None yet.", await type_in(shown, "/rl:status"))

        began = await type_in(shown, "start it")
        form = await answer_form(shown, began, False, "They said no.")
        assert "Starttherun" in form and "scripted-policy" in form
        assert not runs.exists() or list(runs.iterdir()) == []

        began = await type_in(shown, "start it now")
        await answer_form(shown, began, True, "It runs.")
        run = RunDir(runs / NAME)
        pids = [process.pid for process in read_run(run).last.processes]
        assert pids and all(start_ticks(pid) is not None for pid in pids)

        began = await type_in(shown, "end it")
        await answer_form(shown, began, True, "It has ended.")
    status, declined, started, ended = results_of(model.asked)
    assert "There is no run yet" in status
    assert_answer(declined, False, "declined")
    assert_answer(started, True, NAME)
    assert_answer(ended, True, NAME)
    assert [pid for pid in pids if start_ticks(pid) is not None] == []


def assert_answer(result: str, ok: bool, said: str) -> None:
    answer: dict[str, Any] = json.loads(result)
    assert answer["ok"] is ok, answer
    assert said in answer["summary"]


async def test_the_monitor_tells_of_a_run_without_being_asked(
    binary: Path, project: Path, made: Made, tmp_path: Path
) -> None:
    shutil.move(made(RUN, state="running", steps=((1, 0.25),)).root.parent, project / "runs")
    model = ScriptedMessages(says("Looked."), says("I have heard."), says("Checked."), says("Heard twice."))
    async with model.serving(), terminal(binary, project, tmp_path / "home", model.url) as shown:
        began = await type_in(shown, "/rl:resume")
        await shown.until("Looked.", began)
        await shown.until("I have heard.", began)
        told = json.dumps(model.asked[-1]["messages"])
        assert "<task-notification>" in told and f"{RUN} is" in told

        # Another command arms another monitor, which says nothing while the first one does.
        began = await type_in(shown, "/rl:run")
        await shown.until("Checked.", began)
        await asyncio.sleep(QUIET_S)
    assert len(model.asked) == 3
