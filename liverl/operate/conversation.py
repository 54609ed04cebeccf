"""A trial's messages as turns, each command beside its output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Command:
    """One tool call: what was asked for, and what came back (None when nothing did)."""

    tool: str
    text: str
    output: str | None


@dataclass(frozen=True)
class Turn:
    """One message; `sampled` ones were written by the policy and enter the loss, all others are masked."""

    index: int
    role: str
    text: str
    sampled: bool
    commands: tuple[Command, ...] = ()


def turns(messages: Sequence[dict[str, Any]]) -> list[Turn]:
    """The turns of a conversation in OpenAI's message format; tool results stand at the call they answer."""
    outputs = {
        str(message.get("tool_call_id", "")): text_of(message.get("content"))
        for message in messages
        if message.get("role") == "tool"
    }
    called = {call_id for message in messages for call_id, _ in _calls(message)}
    found = []
    for index, message in enumerate(messages):
        role = str(message.get("role", ""))
        if role == "tool" and str(message.get("tool_call_id", "")) in called:
            continue
        commands = tuple(_command(call, outputs.get(call_id)) for call_id, call in _calls(message))
        found.append(Turn(index, role, text_of(message.get("content")), role == "assistant", commands))
    return found


def text_of(content: Any) -> str:
    """A message's content as text, whether it is text, parts or nothing."""
    if isinstance(content, list):
        parts = (part.get("text", "") if isinstance(part, dict) else str(part) for part in content)
        return "".join(str(part) for part in parts)
    return "" if content is None else str(content)


def _calls(message: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    calls = message.get("tool_calls") or []
    return [(str(call.get("id", "")), call) for call in calls if isinstance(call, dict)]


def _command(call: dict[str, Any], output: str | None) -> Command:
    function = call.get("function")
    if not isinstance(function, dict):
        return Command("", json.dumps(call, ensure_ascii=False), output)
    return Command(str(function.get("name", "")), _arguments(function.get("arguments")), output)


def _arguments(arguments: Any) -> str:
    """The one argument's text where there is one, else all as JSON, else as it was sampled."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return str(arguments)
    if isinstance(arguments, dict) and len(arguments) == 1:
        (value,) = arguments.values()
        if isinstance(value, str):
            return value
    return json.dumps(arguments, ensure_ascii=False)
