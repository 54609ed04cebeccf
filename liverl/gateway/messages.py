"""Chat messages brought to one form, so that the same turn is recognised however a scaffold spells it."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Message = dict[str, Any]

_ROLES = {"developer": "system", "function": "tool"}
# claude-code's first system block; it holds a hash of the run, so no two trials of a group would share a
# prompt.
_BILLING = "x-anthropic-billing-header:"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


class MessageError(ValueError):
    """A request's messages or tools that can't be rendered; the text is for the agent."""


def normalise(message: Mapping[str, Any]) -> Message:
    """The message with text content, tool-call arguments parsed where they are JSON, and known fields only.

    Raises MessageError for a message without a role, and for content that is not text.
    """
    role = message.get("role")
    if not isinstance(role, str):
        raise MessageError("each message needs a role")
    result: Message = {"role": _ROLES.get(role, role), "content": _text(message.get("content"))}
    if calls := message.get("tool_calls"):
        result["tool_calls"] = [_tool_call(call) for call in calls]
    for field in ("tool_call_id", "name"):
        if isinstance(message.get(field), str):
            result[field] = message[field]
    return result


def same_turn(one: Message, other: Message) -> bool:
    """Whether two normalised messages are one turn: by tool-call ids, else by all that they hold.

    A scaffold may drop or trim an assistant's text and rewrite its arguments; the ids of its calls stay.
    """
    if one["role"] != other["role"]:
        return False
    ids = call_ids(one)
    if ids and ids == call_ids(other):
        return True
    return _identity(one) == _identity(other)


def call_ids(message: Message) -> list[str]:
    """The ids of a normalised message's tool calls."""
    return [call["id"] for call in message.get("tool_calls", ())]


def writable(text: str) -> str:
    """The text with each half of a surrogate pair, which JSON can spell but UTF-8 can't, replaced by U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def writable_json(value: Any) -> Any:
    """A JSON value with every text in it `writable`."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(fixed) if (fixed := writable(text)) != text else value


def canonical(value: Any) -> str:
    """One JSON spelling a value: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _identity(message: Message) -> tuple[str, str, str | None]:
    calls = [
        [call["function"]["name"], call["function"]["arguments"]] for call in message.get("tool_calls", ())
    ]
    # LiteLLM moves <think> blocks out of the content; an agent then echoes the rest.
    content = _THOUGHT.sub("", message["content"]).strip()
    return content, canonical(calls), message.get("tool_call_id")


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return writable(content)
    if not isinstance(content, Sequence):
        raise MessageError("message content must be text or a list of text parts")
    parts = [_part(part) for part in content]
    return "\n".join(part for part in parts if not part.startswith(_BILLING))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return writable(part)
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return writable(str(part["text"]))
    kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
    raise MessageError(f"this model reads text only, not content of type {kind!r}")


def _tool_call(call: Any) -> Message:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise MessageError("each tool call needs a function with a name")
    arguments = function.get("arguments") or "{}"
    if isinstance(arguments, str):
        arguments = writable(arguments)
        with contextlib.suppress(ValueError):  # what can't be parsed is rendered as the text it is
            arguments = writable_json(json.loads(arguments))
    return {
        "id": str(call.get("id") or ""),
        "type": "function",
        "function": {"name": function["name"], "arguments": arguments},
    }
