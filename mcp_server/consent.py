"""How a person is asked before something is started, ended or removed; nothing switches this off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcp.server.mcpserver import (
    AcceptedElicitation,
    Context,
    Elicit,
    ElicitationResult,
)
from pydantic import BaseModel, Field


class Consent(BaseModel):
    """A person's answer."""

    yes: bool = Field(description="Check to go ahead; leave empty to change nothing.")


@dataclass(frozen=True)
class Refused:
    """Why nothing was done: nobody said yes."""

    what: str
    why: str
    shell: str
    ok: bool = False

    @property
    def summary(self) -> str:
        """What was not done."""
        return f"{self.what}: {self.why}; nothing was changed"

    @property
    def next_action(self) -> str:
        """How a person does it."""
        return f"a person decides: ask the user, or they run in a shell: {self.shell}"

    def payload(self) -> dict[str, object]:
        """Nothing more."""
        return {}


def question(ctx: Context, lines: Sequence[str]) -> Elicit[Consent] | Consent:
    """Ask a person with these lines; a client that can't ask is as good as a no."""
    if can_ask(ctx):
        return Elicit("\n".join(lines), Consent)
    return Consent(yes=False)


def can_ask(ctx: Context) -> bool:
    """Whether the client has declared that it shows forms to a person."""
    asks = ctx.client_capabilities
    return asks is not None and asks.elicitation is not None


def why_not(ctx: Context, answer: ElicitationResult[Consent]) -> str:
    """Empty where a person has said yes, else why this is none."""
    if not can_ask(ctx):
        return "this client can't ask a person"
    if isinstance(answer, AcceptedElicitation):
        return "" if answer.data.yes else "the person did not check yes"
    return "the person declined" if answer.action == "decline" else "no person answered"
