"""Does verl accept the configuration that is composed for it?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from liverl.errors import LiveRLError
from liverl.preflight.ask import ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding


def check_verls(context: Context) -> list[Finding]:
    """Has verl's own schema and validation read the composed command, without starting anything."""
    if _is_torn(context.config.model.folder / "config.json"):
        title = "verl was not asked about the configuration: it would read the model's, which can't be read"
        return [Finding("verl:not_asked", "skipped", title, "", "Mend the model first")]
    try:
        answer = ask("verl", context)
    except LiveRLError as error:
        if error.code != "verl.refused":
            raise
        return [refusal(context, error)]
    cached = ", cached" if answer["cached"] else ""
    title = f"verl {answer['version']} accepts the configuration"
    return [Finding("verl:accepts", "info", title, f"{answer['overrides']} keys set{cached}")]


def _is_torn(description: Path) -> bool:
    try:
        json.loads(description.read_bytes())
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return False


def refusal(context: Context, error: LiveRLError) -> Finding:
    """verl's words, with the place of the key in section `verl` that they name, where they name one."""
    named = [key for key in context.config.verl if key.lstrip("+~") in error.evidence]
    cure = error.next_action
    if named:
        cure = f"Remove or mend {named[0]} ({context.where(f'verl.{named[0]}')})"
    return replace(Finding.of_error(error), cure=cure)
