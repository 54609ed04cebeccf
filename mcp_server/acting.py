"""The tools that change something: launch, resume, stop, clean. Each asks a person first, whatever a client allows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import anyio.to_thread
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from mcp.types import ToolAnnotations
from pydantic import Field

from mcp_server.answers import Result, telling, told
from mcp_server.consent import Consent, Refused, question, why_not
from mcp_server.runs import run_of

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from liverl.operate.clean import Cleaning

# Claude Code asks its own user before each call of such a tool, even where permissions are bypassed.
_PERSON_ONLY = {"anthropic/requiresUserInteraction": True}

Fingerprint = Annotated[str, Field(description="of a passed preflight", max_length=64)]
NewName = Annotated[str, Field(description="the run's name; empty: a readable one is made", max_length=100)]
Named = Annotated[str, Field(description="the run's name", min_length=1, max_length=255)]
Kill = Annotated[bool, Field(description="end by SIGKILL what a stop has left alive")]
Flag = Annotated[bool, Field()]

_SHOWN = 30
_NOTES = 12


def ask_launch(ctx: Context, fingerprint: str, name: str) -> Elicit[Consent] | Consent:
    """The question before a launch: what would be run."""
    from liverl.operate.launch import profile_of, refuse_live

    with telling():
        profile, passed = profile_of(fingerprint)
        refuse_live(profile)
    notes = [f"{row.get('severity')}: {row.get('title')}" for row in passed.findings[:_NOTES]]
    lines = [*notes, *(f"{key}: {value}" for key, value in passed.configuration.items())]
    return question(ctx, [f"Start the run{f' {name}' if name else ''}?", *lines])


async def launch(
    ctx: Context,
    fingerprint: Fingerprint,
    consent: Annotated[ElicitationResult[Consent], Resolve(ask_launch)],
    name: NewName = "",
) -> Result:
    """Start a run that was checked; a person confirms. It goes on by itself and survives this session."""
    if why := why_not(ctx, consent):
        return told(Refused("launch", why, "liverl run --detach"))
    return await anyio.to_thread.run_sync(_launch, fingerprint, name)


def _launch(fingerprint: str, name: str) -> Result:
    from liverl.operate.check import check_again
    from liverl.operate.launch import Yes, alive, profile_of, refuse_live, start

    with telling():
        profile, passed = profile_of(fingerprint)
        refuse_live(profile)
        checked = check_again(profile, passed)
        return told(alive(start(profile, checked, Yes("elicitation"), name=name)))


@dataclass(frozen=True)
class Ready:
    """What a person is asked about, and what is started: nothing in it changes by itself."""

    run_dir: str
    attempt: int
    lines: tuple[str, ...]


def find_resumable(ctx: Context, run: str) -> Ready:
    """The run that could go on, and from where; one that can't is an error, and nobody is asked."""
    from liverl.operate.resume import to_resume

    with telling():
        found = run_of(run)
        going = to_resume(found)
        where = (
            f"from step {going.from_step} of {going.steps}" if going.from_step else "which has no checkpoint"
        )
        again = () if going.from_step else (f"All of its {going.steps} steps are made from the start.",)
        asked = f"Go on with the run {found.name}, {where} (attempt {going.attempt + 1})?"
        return Ready(
            str(found.root), going.attempt, (asked, str(found.root), *again, f"Model: {going.model}")
        )


def ask_resume(ctx: Context, ready: Annotated[Ready, Resolve(find_resumable)]) -> Elicit[Consent] | Consent:
    """The question before a run goes on: which one, and from where."""
    return question(ctx, ready.lines)


async def resume(
    ctx: Context,
    run: Named,
    ready: Annotated[Ready, Resolve(find_resumable)],
    consent: Annotated[ElicitationResult[Consent], Resolve(ask_resume)],
) -> Result:
    """Go on with a run that ended early, from its last checkpoint; a person confirms, then the machine is checked."""
    if why := why_not(ctx, consent):
        return told(Refused("resume", why, f"liverl resume {run} --detach"))

    def act() -> Result:
        if find_resumable(ctx, run) != ready:
            return told(
                Refused("resume", "the run has changed since the question", f"liverl resume {run} --detach")
            )
        return _resume(run)

    return await anyio.to_thread.run_sync(act)


def _resume(run: str) -> Result:
    from liverl.operate.launch import Launched, Yes, alive
    from liverl.operate.resume import check_resume
    from liverl.operate.resume import resume as resume_run

    with telling():
        found = run_of(run)
        going = resume_run(found, check_resume(found), Yes("elicitation"))
        alive(Launched(found))
        return told(going)


def ask_stop(ctx: Context, run: str, kill: bool) -> Elicit[Consent] | Consent:
    """The question before a stop: which run, and how; none where there is nothing to stop."""
    from liverl.operate.stop import refuse_over

    with telling():
        found = run_of(run)
        refuse_over(found)
    how = "Kill what is left of" if kill else "Stop"
    loses = "A process that is killed saves nothing." if kill else "It ends cleanly and can be resumed."
    # Nothing that changes by itself may stand here: the question is made again for the answer, and has to be the same.
    return question(ctx, [f"{how} the run {found.name}? {loses}", str(found.root)])


async def stop(
    ctx: Context,
    run: Named,
    consent: Annotated[ElicitationResult[Consent], Resolve(ask_stop)],
    kill: Kill = False,
) -> Result:
    """End a run cleanly and verify that nothing of it is left; a person confirms, and once more for kill."""
    from liverl.operate.stop import stop as stop_run

    if why := why_not(ctx, consent):
        return told(Refused("stop", why, f"liverl stop {run}{' --kill' if kill else ''}"))

    def act() -> Result:
        with telling():
            return told(stop_run(run_of(run), "asked for by MCP, a person confirmed", kill=kill))

    return await anyio.to_thread.run_sync(act)


@dataclass(frozen=True)
class Listed:
    """The dry list that a person is asked about; the tool removes nothing else."""

    planned: Cleaning

    @property
    def text(self) -> list[str]:
        """All of it, however long."""
        return self.planned.lines(len(self.planned.leavings))


def list_clean(run: str, logs: bool, trials: bool, pods: bool, everything: bool) -> Listed:
    """What the question before a clean is about."""
    from liverl.operate.clean import Wanted, plan_clean

    with telling():
        wanted = Wanted.of(logs=logs, trials=trials, pods=pods, everything=everything)
        return Listed(plan_clean(run_of(run), wanted))


def ask_clean(ctx: Context, listed: Annotated[Listed, Resolve(list_clean)]) -> Elicit[Consent] | Consent:
    """The question before a clean: the dry list."""
    lines = listed.planned.lines(_SHOWN)
    if len(listed.planned.leavings) > _SHOWN:
        # An answer counts only for the same question: what is not shown has to be the same too.
        lines.append(f"  list {hashlib.sha256(repr(listed.text).encode()).hexdigest()[:12]}")
    return question(ctx, ["Remove these? Checkpoints and tracking data stay.", *lines])


async def clean(
    ctx: Context,
    run: Named,
    listed: Annotated[Listed, Resolve(list_clean)],
    consent: Annotated[ElicitationResult[Consent], Resolve(ask_clean)],
    logs: Flag = False,
    trials: Flag = False,
    pods: Flag = False,
    everything: Flag = False,
) -> Result:
    """Remove what a dead run left (processes, Ray session, sandboxes); a person confirms the list.

    Also its logs, trial folders or pods where asked. Checkpoints and tracking data always stay; a live run refuses.
    """
    from liverl.operate.clean import Wanted
    from liverl.operate.clean import clean as clean_run

    if why := why_not(ctx, consent):
        return told(Refused("clean", why, listed.planned.command))

    def act() -> Result:
        if list_clean(run, logs, trials, pods, everything).text != listed.text:
            changed = "the list has changed since the question"
            return told(Refused("clean", changed, listed.planned.command))
        with telling():
            wanted = Wanted.of(logs=logs, trials=trials, pods=pods, everything=everything)
            return told(clean_run(run_of(run), wanted, listed.planned))

    return await anyio.to_thread.run_sync(act)


def add_acting(server: MCPServer) -> None:
    """Register the tools of this file."""
    for tool, title, idempotent in (
        (launch, "Start a run", False),
        (resume, "Go on with a run", False),
        (stop, "Stop a run", True),
        (clean, "Clean up after a run", True),
    ):
        acts = ToolAnnotations(
            title=title,
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=idempotent,
            open_world_hint=False,
        )
        server.tool(annotations=acts, meta=_PERSON_ONLY)(tool)
