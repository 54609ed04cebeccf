"""Sampled ids to an assistant message, by verl's own tool parsers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from liverl.errors import GatewayError
from liverl.gateway.messages import Message, writable, writable_json


class TurnParser:
    """Parses one model's turns; `name` is in verl's registry of tool parsers (hermes, qwen3_coder, ...)."""

    def __init__(self, tokenizer: Any, name: str) -> None:
        """Raises GatewayError `gateway.tool_parser` for a name that verl doesn't know."""
        # Takes 14 s in a fresh process: it imports Ray and torch. An agent-loop worker has them already.
        from verl.experimental.agent_loop.tool_parser import ToolParser

        try:
            self._parser = ToolParser.get_tool_parser(name, tokenizer)
        except ValueError as error:
            known = ", ".join(ToolParser._registry)
            raise GatewayError(
                "gateway.tool_parser",
                f"verl has no tool parser named {name!r}",
                next_action=f"set rollout.tool_parser to one of: {known}",
            ) from error
        self._tokenizer = tokenizer

    @property
    def stop_token_ids(self) -> list[int]:
        """Ids that the parser needs generation to stop at, besides the end of turn."""
        return list(self._parser.stop_token_ids)

    async def message(
        self, token_ids: Sequence[int], tools: list[Any] | None, next_id: Callable[[], str]
    ) -> Message:
        """The normalised assistant message of sampled ids without their end-of-turn id.

        A call that isn't well-formed, or whose arguments aren't an object, stays text, and so does its whole
        turn.
        """
        text = str(self._tokenizer.decode(list(token_ids)))
        if not tools:
            return {"role": "assistant", "content": text}
        content, calls = await self._parser.extract_tool_calls(list(token_ids), _schemas(tools))
        arguments = [_object(call.arguments) for call in calls]
        if not calls or None in arguments:
            return {"role": "assistant", "content": text}
        tool_calls = [
            {
                "id": next_id(),
                "type": "function",
                "function": {"name": writable(call.name), "arguments": values},
            }
            for call, values in zip(calls, arguments, strict=True)
        ]
        return {"role": "assistant", "content": content.strip(), "tool_calls": tool_calls}


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return writable_json(value) if isinstance(value, dict) else None


def _schemas(tools: list[Any]) -> list[Any]:
    """verl's schema of the tools: names and types only, since real JSON schemas hold more than it accepts."""
    from verl.tools.schemas import OpenAIFunctionToolSchema

    return [OpenAIFunctionToolSchema.model_validate(_outline(tool["function"])) for tool in tools]


def _outline(function: dict[str, Any]) -> dict[str, Any]:
    parameters = function.get("parameters") or {}
    properties = {
        name: {"type": schema.get("type", "string") if isinstance(schema, dict) else "string"}
        for name, schema in (parameters.get("properties") or {}).items()
    }
    outline = {"type": "object", "properties": properties}
    return {
        "type": "function",
        "function": {"name": function["name"], "description": "", "parameters": outline},
    }
