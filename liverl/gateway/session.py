"""One trial's calls: each prompt stitched onto the tokens sampled before it, and the segments they come to.

Turn      one finished call, a node of a tree: it extends its parent's tokens
Prompt    what to generate from, and which turn it extends
Session   recognises, limits, keeps, exports
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from liverl.gateway.calls import Call, Generation, Sampling, SessionRecord
from liverl.gateway.messages import Message, canonical, same_turn
from liverl.gateway.template import ChatTemplate
from liverl.record.trajectory import Segment


class LimitReached(Exception):
    """A call that must not be made: `kind` is one of SessionRecord.limits, the text is for the agent."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True)
class Limits:
    """Bounds in tokens: of model context, of a segment's first prompt, of what follows it, of one turn.

    `calls` bounds how many calls a session may make.
    """

    model_len: int
    prompt: int
    response: int
    turn: int
    calls: int


@dataclass(frozen=True, eq=False)
class Turn:
    """A finished call: `added_ids` stand between its parent's tokens (if any) and the sampled ones."""

    parent: Turn | None
    tools: str
    messages: list[Message]
    added_ids: list[int]
    generation: Generation
    call: Call

    def path(self) -> list[Turn]:
        """The turns from the first to this one."""
        path: list[Turn] = []
        turn: Turn | None = self
        while turn is not None:
            path.append(turn)
            turn = turn.parent
        return path[::-1]

    def ids(self) -> list[int]:
        """Every token id up to the end of this turn."""
        return [token for turn in self.path() for token in (*turn.added_ids, *turn.generation.token_ids)]


@dataclass(frozen=True)
class Prompt:
    """The ids to generate from; the last `added` of them are new after `parent`'s tokens."""

    ids: list[int]
    parent: Turn | None
    added: int
    max_tokens: int


@dataclass(eq=False)
class Session:
    """The state of one open session; used from one event loop, its calls may overlap."""

    name: str
    sampling: Sampling
    limits: Limits
    template: ChatTemplate
    turns: list[Turn] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    engine_failure: str = ""
    running: dict[asyncio.Future[Generation], float] = field(default_factory=dict)
    closed: bool = False
    _calls_begun: int = field(default=0, init=False)
    _tool_calls_named: int = field(default=0, init=False)

    def next_index(self) -> int:
        """The number of a new call, from 0."""
        self._calls_begun += 1
        return self._calls_begun - 1

    def next_tool_call_id(self) -> str:
        """An id no other tool call of this session has."""
        self._tool_calls_named += 1
        return f"call_{self._tool_calls_named - 1}"

    def prompt(self, messages: list[Message], tools: list[Any] | None, wanted: int | None) -> Prompt:
        """The ids to generate from for a request, which may have `wanted` tokens at most.

        Raises LimitReached, and MessageError if the chat template refuses the messages.
        """
        try:
            self._count()
            parent, ids, added = self._stitch(messages, tools) or self._render(messages, tools)
            room = self._room(parent, ids)
        except LimitReached as limit:
            self.refusals.append(limit.kind)
            raise
        return Prompt(ids, parent, added, room if wanted is None else min(room, wanted))

    def _stitch(self, messages: list[Message], tools: list[Any] | None) -> tuple[Turn, list[int], int] | None:
        turn = self._extended(messages, canonical(tools))
        if turn is None:
            return None
        sampled = turn.generation.token_ids
        added = self.template.continuation(messages, len(turn.messages) - 1, tools, sampled[-1])
        if added is None:
            return None
        return turn, turn.ids() + added, len(added)

    def _extended(self, messages: list[Message], tools: str) -> Turn | None:
        """The longest turn that these messages go on from; of equals (a retried call) the latest."""
        known = [turn for turn in self.turns if turn.tools == tools and len(turn.messages) <= len(messages)]
        for turn in reversed(sorted(known, key=lambda turn: len(turn.messages))):
            if all(map(same_turn, turn.messages, messages)):
                return turn
        return None

    def _render(self, messages: list[Message], tools: list[Any] | None) -> tuple[Turn | None, list[int], int]:
        """A full rendering; where it begins with a turn's exact tokens, it extends that turn all the same."""
        ids = self.template.prompt(messages, tools)
        best, covered = None, 0
        for turn in self.turns:
            tokens = turn.ids()
            if covered < len(tokens) < len(ids) and ids[: len(tokens)] == tokens:
                best, covered = turn, len(tokens)
        return best, ids, len(ids) - covered

    def _count(self) -> None:
        if self._calls_begun >= self.limits.calls:
            # Begins as a full context's refusal does: for an agent the end of its calls is the same.
            text = f"This model's maximum context length is reached: {self._calls_begun} calls were made."
            raise LimitReached("calls", text)

    def _room(self, parent: Turn | None, ids: list[int]) -> int:
        context = self.limits.model_len - len(ids)
        if context <= 0:
            text = _overflow(self.limits.model_len, len(ids))
            raise LimitReached("context_length", text)
        first = len(parent.path()[0].added_ids) if parent else len(ids)
        if first > self.limits.prompt:
            text = _overflow(self.limits.prompt, first)
            raise LimitReached("prompt_length", text)
        budget = self.limits.response - (len(ids) - first)
        if budget <= 0:
            raise LimitReached("response_budget", _overflow(first + self.limits.response, len(ids)))
        return min(context, budget, self.limits.turn)

    def keep(self, turn: Turn) -> None:
        """Enter a finished call."""
        self.turns.append(turn)

    def record(self) -> SessionRecord:
        """What the session comes to; the turns stay as they are."""
        now = time.time()
        lost = [(turn.call.started, turn.call.ended) for turn in self.turns if not turn.call.delivered]
        turns = sorted(self.turns, key=lambda turn: turn.call.index)
        longest = max(turns, key=lambda turn: len(turn.messages), default=None)
        return SessionRecord(
            name=self.name,
            segments=segments(turns),
            calls=[turn.call for turn in turns],
            messages=longest.messages if longest else [],
            stop_reasons=[turn.call.finish for turn in turns],
            limits=list(self.refusals),
            engine_failure=self.engine_failure,
            unanswered=lost + [(started, now) for started in self.running.values()],
        )


def _overflow(limit: int, tokens: int) -> str:
    # OpenAI's own words: LiteLLM and scaffolds know a full context by them.
    return (
        f"This model's maximum context length is {limit} tokens. However, your messages have {tokens} tokens."
    )


def segments(turns: Collection[Turn]) -> list[Segment]:
    """One segment a leaf of the tree of turns.

    Where branches share turns, the first has them under mask 1 and the others as context, so that no sampled
    token is trained on twice. Answers that the client never received, and that nothing goes on from, are
    left out.
    """
    parents = {id(turn) for leaf in turns if leaf.call.delivered for turn in leaf.path()[:-1]}
    leaves = [turn for turn in turns if turn.call.delivered and id(turn) not in parents]
    covered: set[int] = set()
    result = []
    for leaf in leaves:
        path = leaf.path()
        result.append(_segment(path, covered))
        covered.update(id(turn) for turn in path)
    return result


def _segment(path: list[Turn], covered: Collection[int]) -> Segment:
    response_ids: list[int] = []
    mask: list[int] = []
    logprobs: list[float] = []
    for turn in path:
        added = turn.added_ids if turn.parent else []
        sampled = turn.generation.token_ids
        is_new = id(turn) not in covered
        response_ids += [*added, *sampled]
        mask += [0] * len(added) + [int(is_new)] * len(sampled)
        logprobs += [0.0] * len(added)
        logprobs += turn.generation.logprobs if is_new else [0.0] * len(sampled)
    return Segment(list(path[0].added_ids), response_ids, mask, logprobs)
