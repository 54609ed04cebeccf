"""What goes in and out of a gateway: sampling parameters, generations, calls, the record of a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from liverl.record.trajectory import Segment


@dataclass(frozen=True)
class Sampling:
    """How a session's tokens are drawn, whatever the agent asks for; `top_k` -1 is off."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = -1


@dataclass(frozen=True)
class Generation:
    """What a replica sampled: ids (the end-of-turn id included where it was sampled) and a logprob for each.

    `weight_version` is the version of the weights at the first token; `weight_version_max` at the last,
    where the weights changed in between.
    """

    token_ids: list[int]
    logprobs: list[float]
    stop_reason: str
    weight_version: int
    weight_version_max: int | None = None


# (session name, prompt ids, {"temperature", "top_p", "top_k", "max_tokens", "logprobs": True[,
# "stop_token_ids"]}). The name is the same for all calls of a session, so that a router can keep them on one
# replica's prefix cache.
Generate = Callable[[str, list[int], dict[str, Any]], Awaitable[Generation]]


@dataclass(frozen=True)
class Call:
    """One finished model call; `parent` is the index of the call it extends, None where a new segment began.

    `started` and `ended` bound the generation (Unix time). `finish` is "stop", "tool_calls" or "length".
    `delivered` is False when the client had gone before the answer was there.
    """

    index: int
    parent: int | None
    started: float
    ended: float
    prompt_tokens: int
    completion_tokens: int
    finish: str
    weight_version_min: int
    weight_version_max: int
    delivered: bool


@dataclass(frozen=True)
class SessionRecord:
    """All that a closed session leaves behind.

    `segments` hold every delivered sampled token once under mask 1. `messages` is the longest conversation,
    its last answer included. `stop_reasons` are the calls' `finish`. `limits` names the refusals in order:
    "context_length", "prompt_length", "response_budget", "calls". `engine_failure` is the replica's first
    failure, "" if none: such a trial is not the agent's to answer for. `unanswered` are (start, end) of the calls
    whose client left before there was an answer; those still under way end with the session.
    """

    name: str
    segments: list[Segment]
    calls: list[Call]
    messages: list[dict[str, Any]]
    stop_reasons: list[str]
    limits: list[str]
    engine_failure: str
    unanswered: list[tuple[float, float]]

    @property
    def spans(self) -> list[tuple[str, float, float]]:
        """("generation", start, end) of each call, Unix time."""
        return [("generation", call.started, call.ended) for call in self.calls]

    @property
    def weight_versions(self) -> tuple[int, int] | None:
        """The oldest and the newest weights that sampled a token here; None without a call."""
        if not self.calls:
            return None
        return min(c.weight_version_min for c in self.calls), max(c.weight_version_max for c in self.calls)

    @property
    def prompt_tokens(self) -> int:
        """Prompt tokens over all calls, shared prefixes counted each time."""
        return sum(call.prompt_tokens for call in self.calls)

    @property
    def completion_tokens(self) -> int:
        """Sampled tokens over all calls."""
        return sum(call.completion_tokens for call in self.calls)
