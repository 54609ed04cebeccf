"""Takes a conversation with a tool through a model's chat template, the gateway's stitching and verl's parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from liverl.config import RunConfig
from liverl.gateway.answering import Answering
from liverl.gateway.calls import Generation, Sampling
from liverl.gateway.parser import TurnParser
from liverl.gateway.protocol import ChatRequest
from liverl.gateway.session import Limits, Session
from liverl.gateway.template import ChatTemplate
from liverl.probe.conversation import (
    ANSWER,
    ARGUMENTS,
    MESSAGES,
    NAME,
    RESULT,
    TOOL,
    Message,
    Written,
    end_ids,
    render,
    shared_length,
    tool_turn,
    write_turn,
)
from liverl.probe.reading import no_tools, read_tokenizer

_AROUND = 30
_LONG = 1_000_000
Row = dict[str, Any]
_SAYS: Message = {"role": "assistant", "content": ANSWER}
# After what, the messages that are new, and the model's turn that follows.
_TURNS: tuple[tuple[str, list[Message], Message], ...] = (
    ("", [], tool_turn()),
    ("a tool's result", [{"role": "tool", "tool_call_id": "call_0", "content": RESULT}], _SAYS),
    ("a new message of the user", [{"role": "user", "content": "Go on."}], _SAYS),
)


async def try_template(config: RunConfig) -> Row:
    """`problems` and `split` as the probe `template` answers them.

    Raises PolicyError for a model that can't be read and a template without tools, GatewayError for a parser that
    verl does not know.
    """
    tokenizer = read_tokenizer(config.model.folder)
    if NAME not in render(tokenizer, MESSAGES, tools=[TOOL], generate=True):
        raise no_tools(config.model.folder)
    parser = TurnParser(tokenizer, config.rollout.tool_parser)
    own, stops = end_ids(config.model.folder, tokenizer)
    if config.engine.rollout == "vllm":
        stops |= own  # vLLM stops at the tokenizer's own end whatever the generation config says
    ends = own | frozenset(parser.stop_token_ids)
    written = write_turn(tokenizer, MESSAGES, tool_turn(), ends)
    problems = [
        *_missing(tokenizer, written),
        *await _parsed(tokenizer, parser, written, config.rollout.tool_parser),
        *stop_problems(tokenizer, own, stops, written),
    ]
    return {"problems": problems, "split": await splits(tokenizer, parser, ends) if ends else []}


def _missing(tokenizer: Any, written: Written) -> Iterator[Row]:
    """What the template leaves out of the conversation."""
    prompt = render(tokenizer, MESSAGES, tools=[TOOL], generate=True)
    later = render(
        tokenizer,
        [*MESSAGES, tool_turn(), {"role": "tool", "tool_call_id": "call_0", "content": RESULT}],
        tools=[TOOL],
    )
    parts = {
        "the system prompt": MESSAGES[0]["content"] in prompt,
        "the user's text": MESSAGES[1]["content"] in prompt,
        "the tool call's name": NAME in written.text,
        "the tool call's arguments": "notes.txt" in written.text,
        "the tool's result": RESULT in later,
    }
    left_out = [name for name, is_there in parts.items() if not is_there]
    if left_out:
        yield {"what": "left_out", "seen": f"the rendered text lacks {', '.join(left_out)}"}


async def _parsed(tokenizer: Any, parser: TurnParser, written: Written, name: str) -> list[Row]:
    """Whether the parser reads the call that the template wrote."""
    if "notes.txt" not in written.text:
        return []  # told as left out
    ids = tokenizer(written.text, add_special_tokens=False)["input_ids"]
    message = await parser.message(ids, [TOOL], lambda: "call_0")
    calls = [call["function"] for call in message.get("tool_calls", ())]
    if calls == [{"name": NAME, "arguments": ARGUMENTS}]:
        return []
    read = f"{calls}" if calls else "no tool call"
    seen = f"the parser {name} reads {read} in what the template writes: {_short(written.text)}"
    return [{"what": "tool_call", "seen": seen}]


def stop_problems(
    tokenizer: Any, own: frozenset[int], stops: frozenset[int], written: Written
) -> Iterator[Row]:
    """What keeps a turn from ending: `own` is the tokenizer's end, `stops` are the replica's."""
    if not own:
        yield {"what": "stop_token", "seen": "the tokenizer names no eos_token"}
        return
    strange = sorted(token for token in own | stops if not 0 <= token < len(tokenizer))
    if strange:
        yield {"what": "stop_token", "seen": f"the ids {strange} are not among the {len(tokenizer)} tokens"}
    elif written.end is None:
        names = ", ".join(sorted(str(tokenizer.decode([token])) for token in own))
        seen = f"the template ends a turn with {_short((written.text + written.rest)[-_AROUND:])}, not with {names}"
        yield {"what": "stop_token", "seen": seen}
    elif written.end not in stops:
        end = f"{tokenizer.decode([written.end])!r} (id {written.end})"
        seen = f"a turn ends with {end}, which is none of {sorted(stops)} of generation_config.json"
        yield {"what": "stop_token", "seen": seen}


async def splits(tokenizer: Any, parser: TurnParser, ends: frozenset[int]) -> list[Row]:
    """Each place where the next prompt does not begin with the last one and what was sampled: trained on apart."""
    said: list[list[int]] = []

    async def scripted(session: str, prompt_ids: list[int], sampling: dict[str, Any]) -> Generation:
        return Generation(said[-1], [0.0] * len(said[-1]), "stop", 0)

    async def is_here() -> bool:
        return False

    session = Session(
        "probe", Sampling(), Limits(_LONG, _LONG, _LONG, _LONG, 9), ChatTemplate(tokenizer, sorted(ends))
    )
    answering = Answering(scripted, tokenizer, parser, ends, "probe")
    messages, found, before = list(MESSAGES), [], ""
    for after, added, turn in _TURNS:
        messages += added
        said.append(_spell(tokenizer, write_turn(tokenizer, messages, turn, ends), min(ends)))
        body = {"messages": messages, "tools": [TOOL], "max_tokens": _LONG}
        result = await answering.answer(session, ChatRequest.parse(body), is_here)
        now = str(tokenizer.decode(result.prompt_ids))
        if after and session.turns[-1].parent is None:
            found.append({"after": after, "seen": difference(before, now)})
        before = now + str(tokenizer.decode(said[-1]))
        messages.append(result.message)
    return found


def _spell(tokenizer: Any, written: Written, otherwise: int) -> list[int]:
    end = otherwise if written.end is None else written.end
    return [*tokenizer(written.text, add_special_tokens=False)["input_ids"], end]


def difference(before: str, now: str) -> str:
    """Where `now` stops being `before` going on, with some text of both."""
    at = shared_length(before, now)
    start = max(0, at - 10)
    was, became = before[start : at + _AROUND], now[start : at + _AROUND]
    return f"at character {at} {was!r} became {became!r}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 200 else f"{text[:200]}…")
