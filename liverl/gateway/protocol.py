"""OpenAI's chat completions on the wire: requests checked, answers, streams and errors written."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from liverl.gateway.messages import Message, MessageError, normalise


@dataclass(frozen=True)
class ChatRequest:
    """A request's parts that count here; sampling parameters are the session's, whatever the agent sent."""

    messages: list[Message]
    tools: list[Any] | None
    tool_choice: Any
    max_tokens: int | None
    stream: bool
    include_usage: bool
    return_token_ids: bool
    logprobs: bool

    @classmethod
    def parse(cls, body: Any) -> ChatRequest:
        """Raises MessageError with a text for the agent."""
        if (
            not isinstance(body, Mapping)
            or not isinstance(body.get("messages"), list)
            or not body["messages"]
        ):
            raise MessageError("the request needs a list of messages")
        if body.get("n") not in (None, 1):
            raise MessageError("n must be 1: a call is one sampled turn")
        max_tokens = body.get("max_completion_tokens") or body.get("max_tokens")
        if max_tokens is not None and (not isinstance(max_tokens, int) or max_tokens < 1):
            raise MessageError("max_tokens must be a positive integer")
        if not all(isinstance(message, Mapping) for message in body["messages"]):
            raise MessageError("each message must be an object")
        options = body.get("stream_options")
        return cls(
            messages=[normalise(message) for message in body["messages"]],
            tools=_tools(body.get("tools")),
            tool_choice=body.get("tool_choice"),
            max_tokens=max_tokens,
            stream=bool(body.get("stream")),
            include_usage=bool(isinstance(options, Mapping) and options.get("include_usage")),
            return_token_ids=bool(body.get("return_token_ids")),
            logprobs=bool(body.get("logprobs")),
        )


@dataclass(frozen=True)
class Answer:
    """A finished turn as the client sees it; `tokens` are its tokens' texts where logprobs were asked."""

    id: str
    model: str
    message: Message
    finish: str
    prompt_ids: list[int]
    token_ids: list[int]
    logprobs: list[float]
    tokens: list[str]

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """The chat.completion object."""
        choice: dict[str, Any] = {"index": 0, "message": self._message(), "finish_reason": self.finish}
        choice["logprobs"] = self._logprobs() if request.logprobs else None
        result = {**self._head("chat.completion"), "choices": [choice], "usage": self._usage()}
        if request.return_token_ids:
            result["prompt_token_ids"] = self.prompt_ids
            choice["token_ids"] = self.token_ids
        return result

    def events(self, request: ChatRequest) -> Iterator[str]:
        """The finished turn replayed as server-sent events."""
        head = self._head("chat.completion.chunk")
        for delta in self._deltas():
            yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        last: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": self.finish}
        chunk = {**head, "choices": [last]}
        if request.logprobs:
            last["logprobs"] = self._logprobs()
        if request.return_token_ids:
            chunk["prompt_token_ids"], last["token_ids"] = self.prompt_ids, self.token_ids
        yield _event(chunk)
        if request.include_usage:
            yield _event({**head, "choices": [], "usage": self._usage()})
        yield "data: [DONE]\n\n"

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": int(time.time()), "model": self.model}

    def _message(self) -> Message:
        message: Message = {"role": "assistant", "content": self.message["content"] or None}
        if calls := self.message.get("tool_calls"):
            message["tool_calls"] = [_wire_call(call) for call in calls]
        elif message["content"] is None:
            message["content"] = ""
        return message

    def _deltas(self) -> Iterator[Message]:
        yield {"role": "assistant", "content": ""}
        if self.message["content"]:
            yield {"content": self.message["content"]}
        for index, call in enumerate(self.message.get("tool_calls", ())):
            wire = _wire_call(call)
            arguments = wire["function"].pop("arguments")
            opening = {**wire, "index": index, "function": {**wire["function"], "arguments": ""}}
            yield {"tool_calls": [opening]}
            yield {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}

    def _usage(self) -> dict[str, int]:
        prompt, completion = len(self.prompt_ids), len(self.token_ids)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    def _logprobs(self) -> dict[str, Any]:
        rows = zip(self.tokens, self.logprobs, strict=True)
        content = [{"token": t, "logprob": p, "bytes": list(t.encode()), "top_logprobs": []} for t, p in rows]
        return {"content": content, "refusal": None}


def error_body(message: str, kind: str, code: str) -> dict[str, Any]:
    """OpenAI's error object."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _tools(tools: Any) -> list[Any] | None:
    if not tools:
        return None
    if not isinstance(tools, list):
        raise MessageError("tools must be a list")
    for tool in tools:
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise MessageError("each tool must be a function with a name")
    return tools


def _wire_call(call: Message) -> Message:
    arguments = json.dumps(call["function"]["arguments"], ensure_ascii=False)
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": call["function"]["name"], "arguments": arguments},
    }


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
