"""A clean removes what the person was asked about, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp.types import ElicitRequestParams, ElicitResult

from liverl.record.layout import RunDir
from tests.mcp_server.conftest import YES, Connect, ScriptedPerson
from tests.operate.made import Made


class SlowPerson(ScriptedPerson):
    """Says yes, while the run leaves one more thing."""

    late: Path

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.late.write_text("")
        return await super().__call__(context, params)


def left(made: Made) -> RunDir:
    """A run that has left a draft."""
    run: RunDir = made("over", state="stopped")
    (run.root / ".run.json.1.2").write_text("")
    return run


async def test_what_was_confirmed_goes(made: Made, here: Path, connect: Connect) -> None:
    run = left(made)
    person = ScriptedPerson(YES)
    async with connect(person) as speaker:
        told = await speaker.call("clean", run="over")
    assert told["ok"] is True and told["done"] is True, told
    assert not list(run.root.glob(".run.json*"))
    assert len(person.asked) == 1 and ".run.json.1.2" in person.asked[0]


async def test_a_list_that_has_changed_since_the_question_is_refused(
    made: Made, here: Path, connect: Connect
) -> None:
    run = left(made)
    person = SlowPerson(YES)
    person.late = run.root / ".late.json.1.2"
    async with connect(person, mode="legacy") as speaker:
        told = await speaker.call("clean", run="over", logs=True)
    assert told["ok"] is False and "has changed since the question" in told["summary"]
    assert person.late.exists() and (run.root / ".run.json.1.2").exists()
    assert ".late.json" not in person.asked[0]
    assert told["next"].endswith("liverl clean over --logs")


async def test_where_questions_are_made_again_a_changed_list_is_asked_again(
    made: Made, here: Path, connect: Connect
) -> None:
    run = left(made)
    person = SlowPerson(YES)
    person.late = run.root / ".late.json.1.2"
    async with connect(person) as speaker:
        told = await speaker.call("clean", run="over")
    assert told["ok"] is True and not person.late.exists()
    assert [".late.json" in question for question in person.asked] == [False, True]


async def test_a_list_too_long_to_show_is_still_told_apart(made: Made, here: Path, connect: Connect) -> None:
    run = left(made)
    for number in range(100, 140):
        (run.root / f".run.json.{number}.1").write_text("")
    person = SlowPerson(YES)
    person.late = run.root / ".zzz.json.1.2"
    async with connect(person) as speaker:
        told = await speaker.call("clean", run="over")
    assert told["ok"] is True
    assert len(person.asked) == 2
    shown = [[line for line in question.splitlines() if "draft  " in line] for question in person.asked]
    assert shown[0] == shown[1]
