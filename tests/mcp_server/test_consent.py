"""Launch, resume, stop and clean need a person's yes; nothing else counts as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ElicitRequestParams, ElicitResult

from liverl.config import RunConfig, render_resolved
from liverl.operate import passes
from liverl.operate.find import Place
from liverl.operate.profile import Asked, read_profile
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt, read_plan, write_plan
from tests.mcp_server.conftest import CANCELLED, DECLINED, UNCHECKED, YES, Connect, ScriptedPerson
from tests.operate.made import Made
from tests.run.scripted import Launch, all_gone, ended, launch_run, made_pids

__all__ = ["launch_run"]
NO = [UNCHECKED, DECLINED, CANCELLED]


@pytest.fixture
def mark(here: Path) -> str:
    """The fingerprint of a passed preflight of a config.yaml in the project's folder."""
    for split in ("train", "val"):
        (here / "tasks" / split).mkdir(parents=True)
    (here / "config.yaml").write_text("profile: cpu\n")
    profile = read_profile(Asked(), Place(here))
    return passes.remember(
        profile, {"Model": "the small policy", "Batch": "8 x 8 = 64 trials a step"}
    ).fingerprint


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("answer", NO, ids=["unchecked", "declined", "cancelled"])
async def test_a_launch_without_a_yes_starts_nothing(
    mark: str, here: Path, connect: Connect, answer: ElicitResult, mode: str
) -> None:
    person = ScriptedPerson(answer)
    async with connect(person, mode) as speaker:
        told = await speaker.call("launch", fingerprint=mark)
    assert told["ok"] is False and "nothing was changed" in told["summary"] and "liverl run" in told["next"]
    assert len(person.asked) == 1 and "8 x 8 = 64 trials a step" in person.asked[0]
    assert not (here / "runs").exists()


async def test_a_client_that_cannot_ask_a_person_starts_nothing(
    mark: str, here: Path, connect: Connect
) -> None:
    async with connect() as speaker:
        told = await speaker.call("launch", fingerprint=mark)
    assert told["ok"] is False and "can't ask a person" in told["summary"]
    assert not (here / "runs").exists()


async def test_a_launch_needs_the_fingerprint_of_a_passed_preflight(here: Path, connect: Connect) -> None:
    person = ScriptedPerson(YES)
    async with connect(person) as speaker:
        for given in ("", "bcdfghjkmnpq", "../../../etc/passwd", "yes"):
            told = await speaker.error("launch", fingerprint=given)
            assert "No passed preflight has this fingerprint" in told and "preflight first" in told
    assert person.asked == []


async def test_a_launch_of_a_changed_configuration_is_refused_unasked(
    mark: str, here: Path, connect: Connect
) -> None:
    (here / "config.yaml").write_text("profile: cpu\ntraining:\n  steps: 7\n")
    person = ScriptedPerson(YES)
    async with connect(person) as speaker:
        told = await speaker.error("launch", fingerprint=mark)
    assert "not the one that was checked" in told and "preflight again" in told
    assert person.asked == []


async def test_a_pass_that_is_no_longer_true_starts_nothing(mark: str, here: Path, connect: Connect) -> None:
    # Its task folders are empty, so a whole check finds what the remembered one could not have; past 15 minutes.
    person = ScriptedPerson(YES)
    passed = passes.require(mark)
    stale = passes._file(mark).read_text().replace(str(passed.time_s), str(passed.time_s - 16 * 60))
    passes._file(mark).write_text(stale)
    async with connect(person) as speaker:
        told = await speaker.error("launch", fingerprint=mark)
    assert "Nothing was started" in told
    assert not (here / "runs").exists()


async def test_a_run_that_cannot_go_on_is_an_error_and_nobody_is_asked(
    launch_run: Launch, made: Made, here: Path, connect: Connect
) -> None:
    launch_run(name="busy", end="hang")
    made("over", state="finished")
    made("lost", state="failed").resolved.write_text("training: {resume: never}\n")
    person = ScriptedPerson(YES)
    async with connect(person) as speaker:
        assert "nothing to resume" in await speaker.error("resume", run="busy")
        assert "has made all its steps" in await speaker.error("resume", run="over")
        assert "run.resume_never" in await speaker.error("resume", run="lost")
        assert "run.unknown" in await speaker.error("resume", run="none-of-them")
    assert person.asked == []


async def test_a_run_that_this_machine_cannot_hold_does_not_go_on(
    made: Made, here: Path, connect: Connect
) -> None:
    run = made("short", state="failed")
    config = RunConfig.model_validate({"profile": "cpu", "data": {"train": str(here / "no-such-tasks")}})
    run.resolved.write_text(render_resolved(config, {}))
    person = ScriptedPerson(YES)
    async with connect(person) as speaker:
        told = await speaker.error("resume", run="short")
    assert "Nothing was started" in told and "Next: " in told
    assert "short" in person.asked[0] and "no checkpoint" in person.asked[0]
    assert newest_attempt(run) == 1


@dataclass
class SlowPerson(ScriptedPerson):
    """Answers after something else has happened."""

    meanwhile: Callable[[], object] = object

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.meanwhile()
        return await super().__call__(context, params)


async def test_a_yes_counts_for_the_run_as_it_was_asked_about(
    made: Made, here: Path, connect: Connect
) -> None:
    run = made("short", state="failed")

    def of_steps(steps: int) -> None:
        config = RunConfig.model_validate({"profile": "cpu", "training": {"steps": steps}})
        run.resolved.write_text(render_resolved(config, {}))

    of_steps(30)
    person = SlowPerson(YES, meanwhile=lambda: of_steps(5000))
    async with connect(person, "legacy") as speaker:
        told = await speaker.call("resume", run="short")
        assert told["ok"] is False and "has changed since the question" in told["summary"]
        assert "attempt 2" in person.asked[0] and "30 steps" in person.asked[0]
        # Somebody goes on with it in a shell before the answer.
        person.meanwhile = lambda: write_plan(run, replace(read_plan(run, 1), attempt=2))
        assert "run.alive" in await speaker.error("resume", run="short")
    assert newest_attempt(run) == 2


@pytest.mark.parametrize("answer", [*NO, None], ids=["unchecked", "declined", "cancelled", "nobody"])
async def test_a_stop_without_a_yes_stops_nothing(
    launch_run: Launch, here: Path, connect: Connect, answer: ElicitResult | None
) -> None:
    run = launch_run(name="busy", end="hang")
    pids = made_pids(run)
    async with connect(ScriptedPerson(answer) if answer else None) as speaker:
        told = await speaker.call("stop", run="busy")
    assert told["ok"] is False and "nothing was changed" in told["summary"]
    assert not all_gone(pids[:1]) and not list(run.requests.glob("stop*"))


async def test_a_stop_with_a_yes_ends_the_run_and_says_what_was_verified(
    launch_run: Launch, here: Path, connect: Connect
) -> None:
    run = launch_run(name="busy", end="hang", stubborn=False)
    person = ScriptedPerson(YES)
    async with connect(person) as speaker:
        told = await speaker.call("stop", run="busy")
    assert told["ok"] is True, told
    assert ended(run).state == "stopped"
    assert "busy" in person.asked[0]


@pytest.mark.parametrize("answer", [*NO, None], ids=["unchecked", "declined", "cancelled", "nobody"])
async def test_a_clean_without_a_yes_removes_nothing(
    made: Made, here: Path, connect: Connect, answer: ElicitResult | None
) -> None:
    run: RunDir = made("over", state="stopped")
    run.attempt_log(1).write_text("a line\n")
    person = ScriptedPerson(answer) if answer else None
    async with connect(person) as speaker:
        told = await speaker.call("clean", run="over", logs=True)
    assert told["ok"] is False and "nothing was changed" in told["summary"]
    assert run.attempt_log(1).exists()
    assert person is None or "logs" in person.asked[0]


async def test_no_environment_variable_takes_the_place_of_a_person(
    mark: str, here: Path, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LIVERL_YES", "LIVERL_FORCE", "CI", "RL_CLEAN_FORCE_GPU_KILL"):
        monkeypatch.setenv(name, "1")
    async with connect(ScriptedPerson(DECLINED)) as speaker:
        told = await speaker.call("launch", fingerprint=mark)
    assert told["ok"] is False and not (here / "runs").exists()
