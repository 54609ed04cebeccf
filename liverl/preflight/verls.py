"""Does verl accept the configuration that is composed for it?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    return judge_verl(answer, context)


def judge_verl(answer: dict[str, Any], context: Context) -> list[Finding]:
    """One fatal finding a key that verl does not know, or one that it accepts them all."""
    unknown = answer.get("unknown", ())
    if unknown:
        return [_unknown_key(each["key"], each["nearest"], answer["version"], context) for each in unknown]
    cached = ", cached" if answer["cached"] else ""
    title = f"verl {answer['version']} accepts the configuration"
    return [Finding("verl:accepts", "info", title, f"{answer['overrides']} keys set{cached}")]


def _unknown_key(key: str, nearest: str, version: str, context: Context) -> Finding:
    place = context.where(f"verl.{key}")
    title = f"verl has no key {key}"
    if nearest:
        seen = f"verl {version} has {nearest}; did you mean that?"
        cure = f"Write {nearest} instead of {key} ({place})"
    else:
        seen = f"no key of verl {version} is like it"
        cure = f"Remove {key} ({place}), or write +{key} to add it where verl's code reads it"
    return Finding("verl:unknown_key", "fatal", title, seen, cure)


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
