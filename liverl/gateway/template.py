"""Chat template to token ids: a full prompt, or only what follows a turn that was already sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError

from liverl.gateway.messages import Message, MessageError


class ChatTemplate:
    """A tokenizer's chat template; `stop_ids` are the ids that end a turn."""

    def __init__(self, tokenizer: Any, stop_ids: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self._stop_texts = {token: str(tokenizer.decode([token])) for token in stop_ids}

    def prompt(self, messages: list[Message], tools: list[Any] | None) -> list[int]:
        """The conversation's ids, generation prompt included. Raises MessageError if the template refuses."""
        return self._encode(self._render(messages, tools, generate=True))

    def continuation(
        self, messages: list[Message], at: int, tools: list[Any] | None, last_id: int
    ) -> list[int] | None:
        """The ids that stand between the sampled turn `messages[at]` and the next answer.

        The turn's own text is never tokenised: the template is rendered with and without what comes from
        `at` on, and the rest is cut after the turn's end token. That token comes first in the result when
        the turn was cut off before it (`last_id` is something else). None when the template rewrites what
        came before the turn, or when its end of turn can't be found: then the ids so far can't be extended.
        """
        marked = [*messages[:at], _blank(messages[at]), *messages[at + 1 :]]
        try:
            before = self._render(messages[:at], tools, generate=False)
            full = self._render(marked, tools, generate=True)
        except MessageError:
            return None
        if not full.startswith(before):
            return None
        turn_and_rest = full[len(before) :]
        found = [(turn_and_rest.find(text), token) for token, text in self._stop_texts.items()]
        found = [(position, token) for position, token in found if position >= 0]
        if not found:
            return None
        position, token = min(found)
        if token == last_id:
            position += len(self._stop_texts[token])
        return self._encode(turn_and_rest[position:])

    def _render(self, messages: list[Message], tools: list[Any] | None, *, generate: bool) -> str:
        try:
            text = self._tokenizer.apply_chat_template(
                messages, tools=tools or None, add_generation_prompt=generate, tokenize=False
            )
        except (TemplateError, TypeError, ValueError, KeyError, IndexError) as error:
            raise MessageError(f"the model's chat template refuses this conversation: {error}") from error
        return str(text)

    def _encode(self, text: str) -> list[int]:
        return [int(token) for token in self._tokenizer(text, add_special_tokens=False)["input_ids"]]


def _blank(turn: Message) -> Message:
    """The turn with its sampled content and arguments out of the way: only its frame matters."""
    result = {**turn, "content": "-"}
    if calls := turn.get("tool_calls"):
        result["tool_calls"] = [
            {**call, "function": {"name": call["function"]["name"], "arguments": {}}} for call in calls
        ]
    return result
