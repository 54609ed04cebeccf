from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import anthropic
import pytest

from liverl.record.trajectory import Segment

from .chat_model import ANTHROPIC_BASH, EOS, bash_call, text_part
from .conftest import Door, Room

pytestmark = pytest.mark.claude
SYSTEM = [{**text_part("You repair programs.")[0], "cache_control": {"type": "ephemeral"}}]


def assert_exactly_sampled(room: Room, segment: Segment, name: str = "trial") -> None:
    prompts, sampled = room.replica.prompts(name), room.replica.sampled[name]
    assert [*segment.prompt_ids, *segment.response_ids] == [*prompts[-1], *sampled[-1]]
    kept = list(zip(segment.response_ids, segment.response_mask, segment.response_logprobs, strict=True))
    assert [token for token, mask, _ in kept if mask] == [token for ids in sampled for token in ids]
    assert all((logprob == 0.0) == (mask == 0) for _, mask, logprob in kept)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_two_turn_tool_call_by_anthropics_protocol_is_one_exact_segment(
    door: Door, room: Room, stream: bool
) -> None:
    token = room.open("trial", "I look.\n" + bash_call("ls"), "The test compares wrongly.")
    client = anthropic.AsyncAnthropic(base_url=door.url, auth_token=token, max_retries=0)

    async def answer(messages: list[Any]) -> Any:
        ask: dict[str, Any] = {
            "model": "claude-opus-4-1",
            "max_tokens": 500,
            "system": SYSTEM,
            "tools": [ANTHROPIC_BASH],
            "messages": messages,
        }
        if not stream:
            return await client.messages.create(**ask)
        async with client.messages.stream(**ask) as events:
            return await events.get_final_message()

    messages: list[Any] = [{"role": "user", "content": "the test fails"}]
    first = await answer(messages)
    assert first.stop_reason == "tool_use"
    text, call = first.content
    assert (text.text, call.name, call.input) == ("I look.", "bash", {"command": "ls"})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": text_part("a.py")}
    echoed = [block.model_dump(exclude_none=True) for block in first.content]
    messages[0] = {"role": "user", "content": text_part("the test fails")}
    messages += [{"role": "assistant", "content": echoed}, {"role": "user", "content": [result]}]
    second = await answer(messages)
    assert second.content[0].text == "The test compares wrongly."
    assert second.stop_reason == "end_turn"
    await client.close()

    record = room.close()
    (segment,) = record.segments
    assert_exactly_sampled(room, segment)
    assert [call.parent for call in record.calls] == [None, 0]
    result_turn = "<|im_start|>user\n<tool_response>\na.py\n</tool_response>"
    assert f"</tool_call>{EOS}\n{result_turn}{EOS}\n<|im_start|>assistant\n" in room.replica.text(
        segment.response_ids
    )


def claude_binary() -> str:
    modules = Path("node_modules/@anthropic-ai/claude-code-linux-x64/claude")
    for candidate in (os.environ.get("LIVERL_CLAUDE_BINARY"), shutil.which("claude"), str(modules)):
        if candidate and Path(candidate).is_file():
            return candidate
    pytest.skip("no claude binary: set LIVERL_CLAUDE_BINARY, or npm install @anthropic-ai/claude-code")


def claude_environment(door: Door, token: str, home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "IS_SANDBOX": "1",
        "ANTHROPIC_BASE_URL": door.url,
        "ANTHROPIC_AUTH_TOKEN": token,
        "ANTHROPIC_MODEL": "policy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


async def test_real_claude_code_makes_one_scripted_tool_call(
    door: Door, start_room: Any, tokenizer: Any, tmp_path: Path
) -> None:
    binary = claude_binary()
    room = await start_room(tokenizer, max_model_len=400_000)
    call = {"name": "Bash", "arguments": {"command": "echo made > proof.txt", "description": "Make it"}}
    turn = f"I make it.\n<tool_call>\n{json.dumps(call)}\n</tool_call>"
    token = room.open("trial", turn, "It is made.", max_response_tokens=50_000)
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    process = await asyncio.create_subprocess_exec(
        *(binary, "-p", "make proof.txt", "--output-format", "json", "--dangerously-skip-permissions"),
        cwd=work,
        env=claude_environment(door, token, home),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, output.decode()
    assert (work / "proof.txt").read_text() == "made\n"
    record = room.close()
    print(f"claude-code: first prompt {record.calls[0].prompt_tokens} tokens, {len(record.calls)} calls")
    (segment,) = record.segments
    assert_exactly_sampled(room, segment)
    assert "billing-header" not in room.replica.text(segment.prompt_ids)
