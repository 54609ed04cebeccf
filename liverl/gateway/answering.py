"""One call answered: prompt stitched, tokens sampled, turn parsed and kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from liverl.errors import EngineError
from liverl.gateway.calls import Call, Generate, Generation
from liverl.gateway.messages import Message, canonical
from liverl.gateway.parser import TurnParser
from liverl.gateway.protocol import Answer, ChatRequest
from liverl.gateway.session import Prompt, Session, Turn


class SessionClosed(Exception):
    """The session ended while the call was under way."""


class Answering:
    """Answers the calls of any session by one replica; `stop_ids` end a turn."""

    def __init__(
        self,
        generate: Generate,
        tokenizer: Any,
        parser: TurnParser,
        stop_ids: frozenset[int],
        model_name: str,
    ) -> None:
        self._generate = generate
        self._tokenizer = tokenizer
        self._parser = parser
        self._stop_ids = stop_ids
        self._model_name = model_name

    async def answer(
        self, session: Session, chat: ChatRequest, is_gone: Callable[[], Awaitable[bool]]
    ) -> Answer:
        """Sample the next turn, keep it in the session, and return it.

        `is_gone` says whether the client has left. Raises LimitReached, MessageError, SessionClosed, and
        EngineError `gateway.engine_failure` when the replica fails.
        """
        prompt = session.prompt(chat.messages, chat.tools, chat.max_tokens)
        index, started = session.next_index(), time.time()
        generation = await self._sample(session, prompt)
        ended = time.time()
        message, finish = await self._read(session, chat, prompt, generation)
        last_version = generation.weight_version_max
        call = Call(
            index=index,
            parent=prompt.parent.call.index if prompt.parent else None,
            started=started,
            ended=ended,
            prompt_tokens=len(prompt.ids),
            completion_tokens=len(generation.token_ids),
            finish=finish,
            weight_version_min=generation.weight_version,
            weight_version_max=generation.weight_version if last_version is None else last_version,
            delivered=not await is_gone(),
        )
        session.keep(_turn(chat, prompt, generation, message, call))
        return Answer(
            id=f"chatcmpl-{session.name}-{index}",
            model=self._model_name,
            message=message,
            finish=finish,
            prompt_ids=prompt.ids,
            token_ids=generation.token_ids,
            logprobs=generation.logprobs,
            tokens=[self._tokenizer.decode([i]) for i in generation.token_ids] if chat.logprobs else [],
        )

    async def _sample(self, session: Session, prompt: Prompt) -> Generation:
        sampling = session.sampling
        params: dict[str, Any] = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "max_tokens": prompt.max_tokens,
            "logprobs": True,
        }
        if self._parser.stop_token_ids:
            params["stop_token_ids"] = self._parser.stop_token_ids
        asking = asyncio.ensure_future(self._generate(session.name, prompt.ids, params))
        session.running[asking] = time.time()
        try:
            return _checked(await asking, prompt.max_tokens)
        except asyncio.CancelledError:
            if session.closed:
                raise SessionClosed from None
            raise
        except (
            Exception
        ) as error:  # The edge to the engine: whatever it raises is its failure, not the agent's.
            seen = f"{type(error).__name__}: {error}"
            session.engine_failure = session.engine_failure or seen
            raise EngineError(
                "gateway.engine_failure", "the replica failed a generation", evidence=seen
            ) from error
        finally:
            session.running.pop(asking, None)

    async def _read(
        self, session: Session, chat: ChatRequest, prompt: Prompt, generation: Generation
    ) -> tuple[Message, str]:
        ids = generation.token_ids
        is_finished = ids[-1] in self._stop_ids
        tools = None if chat.tool_choice == "none" else chat.tools
        message = await self._parser.message(
            ids[:-1] if is_finished else ids, tools, session.next_tool_call_id
        )
        if "tool_calls" in message:
            return message, "tool_calls"
        return message, "stop" if is_finished or len(ids) < prompt.max_tokens else "length"


def _turn(chat: ChatRequest, prompt: Prompt, generation: Generation, message: Message, call: Call) -> Turn:
    return Turn(
        parent=prompt.parent,
        tools=canonical(chat.tools),
        messages=[*chat.messages, message],
        added_ids=prompt.ids[len(prompt.ids) - prompt.added :],
        generation=generation,
        call=call,
    )


def _checked(generation: Generation, max_tokens: int) -> Generation:
    """The generation, if it is one: an aborted or a malformed one must not become an agent's turn."""
    count = len(generation.token_ids)
    if generation.stop_reason in ("abort", "aborted") or not 1 <= count <= max_tokens:
        seen = f"stop reason {generation.stop_reason}, {count} tokens of at most {max_tokens}"
        raise EngineError("gateway.bad_generation", "the replica returned no usable turn", evidence=seen)
    if len(generation.logprobs) != count:
        seen = f"{len(generation.logprobs)} logprobs for {count} tokens"
        raise EngineError("gateway.bad_generation", "the replica returned no usable turn", evidence=seen)
    return generation
