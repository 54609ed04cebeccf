"""Can the scaffold that was asked for be run?"""

from __future__ import annotations

from liverl.errors import LiveRLError
from liverl.preflight.ask import NoAnswerError, ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding


def check_scaffolds(context: Context) -> list[Finding]:
    """Has the data plane find the scaffold's binary, or import its class; fatal where it can't."""
    name = context.config.scaffold.name
    try:
        answer = ask("scaffold", context)
    except NoAnswerError:
        raise
    except LiveRLError as error:
        own = f"Set scaffold.name ({context.where('scaffold.name')}) to shell, claude-code, or module:Class"
        cure = error.next_action or own
        return [Finding("scaffold:unusable", "fatal", error.message, error.evidence, cure)]
    seen = ", ".join(answer["brings"]) or str(answer["agent"])
    return [Finding("scaffold:found", "info", f"The scaffold {name} can be run", seen)]
