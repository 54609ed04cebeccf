"""Check, confirm, run, look, by a real MCP server; it is killed with its shell, the run goes on and is stopped; another
server goes on with it.

The server is started as a client starts it, by a shell in the user's project folder, and talks by standard streams.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult

from liverl.record.events import read_events
from liverl.record.layout import RunDir
from liverl.record.plan import newest_attempt
from liverl.record.runfile import read_run
from liverl.run.liveness import read_liveness
from liverl.run.processes import start_ticks
from liverl.run.resume import end_leftovers
from tests.e2e.breaking import STEP_LIMIT_S, read_rows, until
from tests.e2e.site import REPOSITORY, Site, make_site
from tests.e2e.traces import processes_of

pytestmark = pytest.mark.fault

NAME = "by-mcp"


@dataclass(frozen=True)
class Seen:
    """What the client got from each tool, the questions a person was asked, and the processes that were killed."""

    answers: dict[str, dict[str, Any]]
    asked: list[str]
    killed: list[int]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, painter: Path) -> Iterator[Site]:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    settings = {
        "training": {"steps": 50, "val_before_train": False, "test_freq": 50},
        "checkpoint": {"save_freq": 1, "keep": 2},
    }
    made = make_site(tmp_path_factory.mktemp("mcp"), painter, settings)
    yield made
    end_leftovers(made.run_dir(NAME))


@pytest.fixture(scope="module")
def seen(site: Site) -> Seen:
    """The whole story: preflight, launch, status, log; then the shell and the server are killed."""
    return asyncio.run(story(site))


async def story(site: Site) -> Seen:
    answers: dict[str, dict[str, Any]] = {}
    asked: list[str] = []

    async def yes(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"yes": True})

    async with serving(site, yes) as client:
        answers["preflight"] = await call(client, "preflight")
        answers["launch"] = await call(
            client, "launch", fingerprint=answers["preflight"]["fingerprint"], name=NAME
        )
        answers["second"] = {
            "error": await error(client, "launch", fingerprint=answers["preflight"]["fingerprint"])
        }
        run = site.run_dir(NAME)
        await asyncio.to_thread(until, lambda: any(row["step"] for row in read_rows(run)), STEP_LIMIT_S, run)
        for tool in ("status", "tail_log", "trials", "list_runs"):
            answers[tool] = await call(client, tool)
        answers["show_trial"] = await call(
            client, "show_trial", trial=answers["trials"]["trials"][0]["trial"]
        )
        killed = [int(pid) for pid in (site.root / "pids").read_text().split()]
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
    return Seen(answers, asked, killed)


@asynccontextmanager
async def serving(site: Site, person: Any) -> AsyncIterator[Client]:
    """A client of a server that a shell has started in the site's folder; both write their pids down."""
    python = f'{sys.executable} -c \'import os,sys; open("pids","a").write(str(os.getpid())+chr(10)); '
    program = python + 'sys.argv=["mcp"]; from mcp_server.server import serve; serve()\''
    shell = StdioServerParameters(
        command="bash",
        args=["-c", f"echo $$ > pids; {program}; true"],
        cwd=site.root,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("LIVERL_")},
            "PYTHONPATH": str(REPOSITORY),
            "XDG_STATE_HOME": str(site.root / "state"),
        },
    )
    try:
        async with Client(shell, elicitation_callback=person, read_timeout_seconds=600) as client:
            yield client
    except* (OSError, EOFError):
        pass  # its server was killed within


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult) and not result.is_error, result
    assert result.structured_content is not None
    return result.structured_content


async def error(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult) and result.is_error, result
    return str(result.content)


@pytest.fixture(scope="module")
def run(site: Site, seen: Seen) -> RunDir:
    return site.run_dir(NAME)


def test_the_preflight_passes_and_says_what_would_be_run(seen: Seen) -> None:
    answer = seen.answers["preflight"]
    assert answer["ok"] and answer["summary"].startswith("SAFE TO RUN: YES")
    assert "4 x 4 = 16" in str(answer["configuration"]) and len(answer["fingerprint"]) == 12


def test_one_person_was_asked_once_with_the_configuration(seen: Seen) -> None:
    (asked,) = seen.asked
    assert NAME in asked and "4 x 4 = 16" in asked


def test_the_launch_returns_with_signs_of_life(seen: Seen) -> None:
    answer = seen.answers["launch"]
    assert answer["ok"] and answer["run"] == NAME and answer["stage"]
    assert {"supervisor", "trainer"} <= answer["pids"].keys()
    assert answer["watch"] and answer["stop"] == f"liverl stop {NAME}"


def test_a_second_launch_is_refused_while_the_first_one_lives(seen: Seen) -> None:
    assert NAME in seen.answers["second"]["error"] and "Next: " in seen.answers["second"]["error"]
    assert len(seen.asked) == 1


def test_the_run_is_seen_training_with_its_log_and_trials(seen: Seen) -> None:
    status = seen.answers["status"]
    assert status["state"] in ("training", "validating") and status["step"] >= 1
    assert any("step:" in line for line in seen.answers["tail_log"]["lines"])
    assert seen.answers["trials"]["trials"] and seen.answers["show_trial"]["turns"]
    assert [row["run"] for row in seen.answers["list_runs"]["runs"]] == [NAME]


def test_the_launch_log_is_where_the_docs_say(site: Site, seen: Seen, run: RunDir) -> None:
    (link,) = (site.root / "logs").glob("launch_*.log")
    assert link.resolve() == run.attempt_log(1).resolve()


def test_the_run_survives_the_death_of_its_server_and_its_shell(seen: Seen, run: RunDir) -> None:
    assert len(seen.killed) == 2
    until(lambda: all(start_ticks(pid) is None for pid in seen.killed), 5.0, run)
    step = max(row["step"] for row in read_rows(run))
    until(lambda: max(row["step"] for row in read_rows(run)) > step, STEP_LIMIT_S, run, live=True)


def test_it_is_then_stopped_from_the_shell_and_nothing_of_it_is_left(site: Site, run: RunDir) -> None:
    done = site.liverl("stop", NAME, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_liveness(run).state == "stopped"
    assert processes_of(run) == []
    assert read_run(run).last.state == "stopped"
    assert [event.kind for event in read_events(run)][-1] == "stopped"
    (row,) = (site.runs / "ledger.jsonl").read_text().splitlines()
    assert '"interrupted"' in row and f'"{NAME}"' in row


def test_another_server_goes_on_with_it_once_a_person_says_so(site: Site, run: RunDir) -> None:
    saved = int((run.checkpoints / "latest_checkpointed_iteration.txt").read_text())
    made = max(row["step"] for row in read_rows(run))
    # verl saves a step before it tells its metrics: the stop may have fallen between the two.
    assert saved in (made, made + 1)
    answers, asked = asyncio.run(second_story(site, run))
    declined, resumed, refused, ended = answers
    assert declined["ok"] is False and "nothing was changed" in declined["summary"]
    assert all(NAME in text and f"from step {saved} of 50" in text for text in asked[:2]) and len(asked) == 3
    assert resumed["ok"] and resumed["attempt"] == 2 and resumed["from_step"] == saved
    assert "nothing to resume" in refused["error"]
    assert ended["ok"], ended
    assert processes_of(run) == []
    assert [event.kind for event in read_events(run) if event.kind in ("started", "resumed")] == [
        "started",
        "resumed",
    ]


async def second_story(site: Site, run: RunDir) -> tuple[list[dict[str, Any]], list[str]]:
    """A no, a yes, another yes while it lives, and its end."""
    asked: list[str] = []

    async def no_then_yes(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        if len(asked) == 1:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"yes": True})

    async with serving(site, no_then_yes) as client:
        answers = [await call(client, "resume", run=NAME)]
        assert newest_attempt(run) == 1
        answers.append(await call(client, "resume", run=NAME))
        answers.append({"error": await error(client, "resume", run=NAME)})
        answers.append(await call(client, "stop", run=NAME))
    return answers, asked
