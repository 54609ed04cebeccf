"""A short conversation with a tool, and how a model's chat template writes its turns.

TOOL, MESSAGES, RESULT   what is said
Written                  an assistant's turn as the template renders it, cut out of the conversation
write_turn               makes one
end_ids                  the ids that end a turn: where the gateway sees an end, and where the replica stops
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from liverl.errors import PolicyError

Message = dict[str, Any]

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "search_file",
        "description": "Find lines of a file.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["command"],
        },
    },
}
NAME = "search_file"
# Quotes and a number: what a template may spell otherwise than the parser reads it.
ARGUMENTS: dict[str, Any] = {"command": 'grep -n "two words" notes.txt', "limit": 3}
MESSAGES: list[Message] = [
    {"role": "system", "content": "Use the tool."},
    {"role": "user", "content": "Where are the two words?"},
]
RESULT = "7: two words"
ANSWER = "They are on line 7."


def tool_turn(call_id: str = "call_0") -> Message:
    """The assistant's turn that calls the tool."""
    function = {"name": NAME, "arguments": ARGUMENTS}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


@dataclass(frozen=True)
class Written:
    """`text` is what the model would have to write, without what ends the turn; `end` is that id, None where the
    template writes none of those that were asked for; `rest` is what follows the text."""

    text: str
    end: int | None
    rest: str


def render(
    tokenizer: Any, messages: list[Message], *, tools: list[Any] | None = None, generate: bool = False
) -> str:
    """The conversation as text; raises PolicyError `model.template_refuses`."""
    try:
        text = tokenizer.apply_chat_template(
            messages, tools=tools, add_generation_prompt=generate, tokenize=False
        )
    except (TemplateError, TypeError, ValueError, KeyError, IndexError) as error:
        raise PolicyError(
            "model.template_refuses",
            "The model's chat template can't render a conversation with a tool",
            evidence=f"{type(error).__name__}: {error}"[:600],
            next_action="Use a chat_template.jinja that takes a system prompt, tools and tool calls, or another model",
        ) from error
    return str(text)


def write_turn(tokenizer: Any, before: list[Message], turn: Message, ends: frozenset[int]) -> Written:
    """How the template writes `turn` after the messages `before`, its header and its end taken off."""
    tools = [TOOL]
    start = render(tokenizer, before, tools=tools)
    full = render(tokenizer, [*before, turn], tools=tools)
    header = _without(start, render(tokenizer, before, tools=tools, generate=True))
    said = _after_last(header, full) if header else _without(start, full)
    found = [(said.find(text), token) for token in ends if (text := str(tokenizer.decode([token]))) in said]
    if not found:
        return Written(said.rstrip(), None, said[len(said.rstrip()) :])
    position, token = min(found)
    return Written(said[:position], token, said[position:])


def _after_last(header: str, text: str) -> str:
    """The text after the last turn's header; where a template opens a thought there, the first line will do."""
    first_line = header[: header.find("\n") + 1] or header
    line, whole = text.rfind(first_line), text.rfind(header)
    if line < 0:
        return text
    return text[whole + len(header) :] if whole >= line else text[line + len(first_line) :]


def _without(prefix: str, text: str) -> str:
    """The text after `prefix`; where it begins otherwise, after the whole lines that both have."""
    if text.startswith(prefix):
        return text[len(prefix) :]
    shared = prefix[: shared_length(prefix, text)]
    return text[shared.rfind("\n") + 1 :]


def shared_length(one: str, other: str) -> int:
    """How many characters both texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def end_ids(folder: Path, tokenizer: Any) -> tuple[frozenset[int], frozenset[int]]:
    """The tokenizer's end of turn, and those that the replica stops at: as Transformers reads them from the folder."""
    own = frozenset([tokenizer.eos_token_id]) - {None}
    for name in ("generation_config.json", "config.json"):
        try:
            told = json.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        ids = (told.get("text_config") or {}).get("eos_token_id") if name == "config.json" else None
        ids = told.get("eos_token_id") if ids is None else ids
        if ids is not None:
            return own, frozenset(ids if isinstance(ids, list) else [ids])
    return own, frozenset()
