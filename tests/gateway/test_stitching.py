from __future__ import annotations

import json
from typing import Any

import pytest

from liverl.record.trajectory import Segment

from .chat_model import BASH, EOS, TEMPLATE, bash_call, small_tokenizer, text_part
from .conftest import Room

SYSTEM = {"role": "system", "content": "You repair programs."}
TASK = {"role": "user", "content": "the test fails"}


def tool_result(message: dict[str, Any], content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": content}


def assert_exact(room: Room, segment: Segment, name: str = "trial") -> None:
    """The segment is the replica's last prompt and answer; what it sampled is all that is under mask 1."""
    assert [*segment.prompt_ids, *segment.response_ids] == [
        *room.replica.prompts(name)[-1],
        *room.replica.sampled[name][-1],
    ]
    kept = zip(segment.response_ids, segment.response_mask, segment.response_logprobs, strict=True)
    rows = list(kept)
    sampled = [token for ids in room.replica.sampled[name] for token in ids]
    assert [token for token, mask, _ in rows if mask] == sampled
    expected = [-(i + 1) / 100 for ids in room.replica.sampled[name] for i in range(len(ids))]
    assert [logprob for _, mask, logprob in rows if mask] == expected
    assert all(logprob == 0.0 for _, mask, logprob in rows if not mask)


async def test_three_turns_become_one_segment_of_exactly_the_sampled_tokens(room: Room) -> None:
    token = room.open("trial", bash_call("ls"), "Look:\n" + bash_call("cat a.py"), "done")
    messages: list[Any] = [SYSTEM, TASK]
    messages.append(tool_result(await room.turn(token, messages), "a.py"))
    messages.append(tool_result(await room.turn(token, messages), "x = 1"))
    await room.turn(token, messages)
    record = room.close()
    (segment,) = record.segments
    assert_exact(room, segment)
    assert [call.parent for call in record.calls] == [None, 0, 1]
    assert record.stop_reasons == ["tool_calls", "tool_calls", "stop"]
    text = room.replica.text(segment.response_ids)
    between = (
        f"{EOS}\n<|im_start|>user\n<tool_response>\na.py\n</tool_response>{EOS}\n<|im_start|>assistant\n"
    )
    assert between in text
    assert record.messages[-1] == {"role": "assistant", "content": "done"}


async def test_a_conversation_spelled_otherwise_is_still_the_same_conversation(room: Room) -> None:
    token = room.open("trial", "I look.\n" + bash_call("ls"), "done")
    messages: list[Any] = [{**SYSTEM, "content": text_part("You repair programs.")}, TASK]
    answer = await room.turn(token, messages)
    call = answer["tool_calls"][0]
    arguments = json.dumps({"command": "ls"}, indent=1)
    echoed = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**call, "function": {**call["function"]}}],
    }
    echoed["tool_calls"][0]["function"]["arguments"] = arguments
    marked = [{"type": "text", "text": "the test fails", "cache_control": {"type": "ephemeral"}}]
    again = [SYSTEM, {"role": "user", "content": marked}, echoed, tool_result(answer, "a.py")]
    await room.turn(token, again)
    (segment,) = room.close().segments
    assert_exact(room, segment)


async def test_a_turn_cut_off_is_closed_by_tokens_under_mask_0(room: Room) -> None:
    token = room.open("trial", "the file is long", "done")
    messages: list[Any] = [TASK]
    response = await room.post(token, messages, max_tokens=5)
    assert response.json()["choices"][0]["finish_reason"] == "length"
    messages += [response.json()["choices"][0]["message"], {"role": "user", "content": "go on"}]
    await room.turn(token, messages)
    (segment,) = room.close().segments
    assert_exact(room, segment)
    text = f"the f{EOS}\n<|im_start|>user\ngo on{EOS}\n<|im_start|>assistant\ndone{EOS}"
    assert room.replica.text(segment.response_ids) == text
    assert segment.response_mask[:6] == [1] * 5 + [0]


async def test_a_retried_call_branches_and_shared_turns_are_trained_on_once(room: Room) -> None:
    token = room.open("trial", bash_call("ls"), "first", "second")
    messages: list[Any] = [TASK]
    messages.append(tool_result(await room.turn(token, messages), "a.py"))
    await room.turn(token, list(messages))
    await room.turn(token, list(messages))
    one, two = room.close().segments
    assert one.prompt_ids == two.prompt_ids
    first_turn = len(room.replica.sampled["trial"][0])
    assert one.response_ids[:first_turn] == two.response_ids[:first_turn]
    assert sum(one.response_mask) == first_turn + len("first") + 1
    assert sum(two.response_mask) == len("second") + 1
    assert room.replica.text(two.response_ids).endswith(f"second{EOS}")


async def test_a_sub_agent_has_a_segment_of_its_own_and_the_main_one_goes_on(room: Room) -> None:
    token = room.open("trial", bash_call("ls"), "sub answer", "done")
    messages: list[Any] = [SYSTEM, TASK]
    messages.append(tool_result(await room.turn(token, messages), "a.py"))
    await room.turn(
        token, [{"role": "system", "content": "You search."}, {"role": "user", "content": "find"}]
    )
    await room.turn(token, messages)
    record = room.close()
    assert [call.parent for call in record.calls] == [None, None, 0]
    assert len(record.segments) == 2


@pytest.mark.parametrize("change", ["tools", "system", "history"])
async def test_a_changed_beginning_starts_a_new_segment(room: Room, change: str) -> None:
    token = room.open("trial", "first", "second")
    messages: list[Any] = [SYSTEM, TASK]
    await room.turn(token, messages)
    messages.append({"role": "user", "content": "and now?"})
    body: dict[str, Any] = {}
    if change == "tools":
        body["tools"] = [BASH, {**BASH, "function": {**BASH["function"], "name": "sh"}}]  # type: ignore[dict-item]
    elif change == "system":
        messages[0] = {"role": "system", "content": "You are brief."}
    else:
        messages[2] = {"role": "assistant", "content": "not what was sampled"}
    await room.turn(token, messages, **body)
    record = room.close()
    assert len(record.segments) == 2
    assert [call.parent for call in record.calls] == [None, None]
    assert all(set(segment.response_mask) == {1} for segment in record.segments)


async def test_a_template_that_rewrites_earlier_turns_starts_a_new_segment(start_room: Any) -> None:
    rewriting = TEMPLATE.replace("{{ message.content }}", "{{ message.content if loop.last else 'gone' }}")
    room = await start_room(small_tokenizer(rewriting))
    token = room.open("trial", "first", "second", "third")
    messages: list[Any] = [TASK]
    for _ in range(3):
        await room.turn(token, messages)
        messages.append({"role": "user", "content": "go on"})
    record = room.close()
    assert [call.parent for call in record.calls] == [None, None, None]
    assert len(record.segments) == 3


async def test_thoughts_that_the_template_drops_elsewhere_stay_as_they_were_sampled(start_room: Any) -> None:
    thinking = TEMPLATE.replace(
        "<|im_start|>{{ message.role }}\n{{ message.content }}",
        "<|im_start|>{{ message.role }}\n"
        "{% if message.role == 'assistant' and loop.last %}<think>\n\n</think>\n\n{% endif %}"
        "{{ message.content }}",
    )
    assert thinking != TEMPLATE
    room = await start_room(small_tokenizer(thinking))
    token = room.open("trial", "<think>hm</think>" + bash_call("ls"), "done")
    messages: list[Any] = [TASK]
    answer = await room.turn(token, messages)
    messages[-1] = {**answer, "content": None}
    messages.append(tool_result(answer, "a.py"))
    await room.turn(token, messages)
    record = room.close()
    (segment,) = record.segments
    assert_exact(room, segment)
    assert record.messages[1]["content"] == ""
    assert "<think>hm</think>" in room.replica.text(segment.response_ids)


async def test_a_rendering_that_begins_with_the_exact_tokens_extends_them(room: Room) -> None:
    room.replica.spells_like_tokenizer = True
    text = '\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'
    token = room.open("trial", text, "done")
    await room.turn(token, [TASK])
    echoed = {"role": "assistant", "content": text}
    await room.turn(token, [TASK, echoed, {"role": "user", "content": "go on"}])
    (segment,) = room.close().segments
    assert_exact(room, segment)


async def test_a_malformed_call_stays_text(room: Room) -> None:
    broken = '<tool_call>\n{"name": "bash", "arguments": {"command": \n</tool_call>'
    no_object = '<tool_call>\n{"name": "bash", "arguments": "ls"}\n</tool_call>'
    token = room.open("trial", broken, no_object)
    for text in (broken, no_object):
        message = await room.turn(token, [TASK])
        assert message["content"] == text
        assert "tool_calls" not in message


async def test_tool_call_ids_are_unique_in_a_session(room: Room) -> None:
    token = room.open("trial", bash_call("a") + bash_call("b"), bash_call("c"))
    first = await room.turn(token, [TASK])
    second = await room.turn(token, [TASK])
    ids = [call["id"] for call in first["tool_calls"] + second["tool_calls"]]
    assert ids == ["call_0", "call_1", "call_2"]


async def test_claude_codes_billing_header_never_reaches_the_policy(room: Room) -> None:
    token = room.open("trial", "ok")
    blocks = [
        *text_part("x-anthropic-billing-header: cc_version=2.1.9a;"),
        *text_part("You repair programs."),
    ]
    await room.turn(token, [{"role": "system", "content": blocks}, TASK])
    assert "billing" not in room.replica.text(room.replica.prompts("trial")[0])
