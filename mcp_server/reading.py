"""The tools that only look: preflight, status, diagnose, tail_log, trials, show_trial, list_runs, compare."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Literal

import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.types import ToolAnnotations
from pydantic import Field

from mcp_server.answers import Result, telling, told
from mcp_server.runs import doctor, file_doctor, file_of, look_again, observer, place, run_of

if TYPE_CHECKING:
    from mcp.server import MCPServer

Run = Annotated[
    str, Field(description="a run's name; empty: the newest live run, else the newest", max_length=255)
]
Settings = Annotated[
    list[str], Field(description='single values over config.yaml, such as "training.steps=3"', max_length=100)
]
_READING = threading.Lock()
# A diagnosis may take long; nobody who asks for a status waits for it.
_DIAGNOSING = threading.Lock()


async def preflight(
    ctx: Context,
    config: Annotated[str, Field(description="a config.yaml; empty: the project's", max_length=4096)] = "",
    settings: Settings = [],  # noqa: B006  # pydantic copies it
    smoke: Annotated[bool, Field(description="a small and short run")] = False,
    probe: Annotated[
        Literal["auto", "yes", "no"],
        Field(description="also try sandboxes, tasks and the model's endpoint; auto: on a CPU"),
    ] = "auto",
) -> Result:
    """Would a run work here? Verdict, findings with cures, what would be run, and the fingerprint for launch."""
    from liverl.config import ConfigProblems
    from liverl.operate.check import check, problems
    from liverl.operate.profile import Asked, read_profile

    def ask() -> Result:
        with telling():
            refuse_programs(settings)
            try:
                profile = read_profile(Asked(config or None, tuple(settings), smoke), place())
            except ConfigProblems as found:
                return told(problems(found))
            return told(check(profile, answered, probe={"yes": True, "no": False}.get(probe)))

    done: list[str] = []

    def answered(question: str, _: object) -> None:
        done.append(question)
        anyio.from_thread.run(ctx.report_progress, float(len(done)), None, f"asked: {question}")

    return await anyio.to_thread.run_sync(ask)


def refuse_programs(settings: list[str]) -> None:
    """Raise `ConfigError` where a setting would make a check, which nobody confirms, start a program of its choice."""
    from liverl.errors import ConfigError

    for setting in settings:
        key, _, value = setting.partition("=")
        names_one = key.strip() == "scaffold.name" and ":" in value
        if names_one or key.strip().startswith(("environment", "scaffold.options", "verl", "profile")):
            raise ConfigError(
                "config.not_by_mcp",
                f"{key.strip()} may not be set here.",
                evidence="it can name a program or code, and a preflight asks nobody before it runs",
                next_action="a person sets it in config.yaml",
            )


def status(run: Run = "") -> Result:
    """How a run is doing: state, step, reward and trend, health, time left, next action."""
    with telling(), _READING:
        found = run_of(run)
        answer = told(observer(found).read())
    look_again(found)
    return answer


def diagnose(
    run: Run = "",
    file: Annotated[
        str,
        Field(
            description="instead of a run: a log, jsonl, csv or trainer_state.json in the project",
            max_length=4096,
        ),
    ] = "",
) -> Result:
    """What is wrong with a run, or with what a file tells: first cause first, with evidence and cure."""
    with telling(), _DIAGNOSING:
        return told(file_doctor(file_of(file)).look() if file else doctor(run_of(run)).look())


def tail_log(
    run: Run = "",
    lines: Annotated[int, Field(ge=1, le=200)] = 40,
    cursor: Annotated[
        str, Field(description="where the last answer ended: only what came since", max_length=200)
    ] = "",
    pattern: Annotated[
        str, Field(description="only lines that match this regular expression", max_length=500)
    ] = "",
    component: Annotated[
        str, Field(description="all, trainer, rollout, gateway, litellm, or trial:NAME", max_length=300)
    ] = "all",
    step: Annotated[int, Field(description="from that step's line on; -1: from the end", ge=-1)] = -1,
    raw: Annotated[bool, Field(description="keep progress bars and other noise")] = False,
) -> Result:
    """The last lines of a run's log, without noise, and the cursor to go on from."""
    from liverl.operate.tail import Wanted, tail

    wanted = Wanted(
        lines=lines,
        cursor=cursor,
        pattern=pattern,
        component=component,
        step=None if step < 0 else step,
        raw=raw,
    )
    with telling(), _READING:
        return told(tail(run_of(run), wanted))


def trials(
    run: Run = "",
    step: Annotated[int, Field(description="of one step; -1: of all", ge=-1)] = -1,
    split: Literal["any", "train", "val"] = "any",
    task: Annotated[str, Field(description="of tasks whose name begins so", max_length=255)] = "",
    outcome: Annotated[
        str,
        Field(
            description="solved, unsolved, timeout, overlong, max_turns, agent_error, infrastructure",
            max_length=40,
        ),
    ] = "",
    failed: Annotated[bool, Field(description="neither solved nor unsolved: it went wrong")] = False,
    last: Annotated[int, Field(description="at most so many, the newest", ge=1, le=100)] = 20,
) -> Result:
    """The trials of a run: outcome, reward, turns, tokens, whose fault."""
    from liverl.operate.trials import Wanted
    from liverl.operate.trials import trials as list_trials

    wanted = Wanted(
        step=None if step < 0 else step,
        split=None if split == "any" else split,
        task=task or None,
        outcome=outcome or None,
        failed=failed,
        last=last,
    )
    with telling():
        return told(list_trials(run_of(run), wanted))


def show_trial(
    trial: Annotated[str, Field(description="its name, or how the name begins or ends", max_length=300)],
    run: Run = "",
) -> Result:
    """One trial, from its first message to its reward: commands, outputs, verifier, tokens, seconds."""
    from liverl.operate.show import show

    with telling():
        return told(show(run_of(run), trial))


def list_runs(
    last: Annotated[int, Field(description="at most so many, the newest", ge=1, le=50)] = 10,
) -> Result:
    """The runs there are, newest first: state, step, validation."""
    from liverl.operate.listing import listing

    with telling():
        return told(listing(place(), last))


def compare(
    runs: Annotated[list[str], Field(description="two to eight runs' names", min_length=2, max_length=8)],
) -> Result:
    """Two or more runs side by side: what differs in their configuration, and their curves."""
    from liverl.operate.compare import compare as compare_runs

    with telling():
        return told(compare_runs([run_of(name) for name in runs]))


def add_reading(server: MCPServer) -> None:
    """Register the tools of this file."""
    # The checks only look, but probes start sandboxes of their own and take them down again.
    for tool, title in (
        (preflight, "Check before a run"),
        (status, "Status of a run"),
        (diagnose, "Diagnose a run or a log"),
        (tail_log, "Log of a run"),
        (trials, "Trials of a run"),
        (show_trial, "One trial"),
        (list_runs, "List runs"),
        (compare, "Compare runs"),
    ):
        looks = ToolAnnotations(
            title=title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        )
        server.tool(annotations=looks)(tool)
