"""The chat template: what the policy reads, for every shape of message that a scaffold sends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from liverl.policy.tokenizer import renderer
from liverl.scaffold.shell import TOOLS

SYSTEM = {"role": "system", "content": "Fix it."}
USER = {"role": "user", "content": "The till is wrong.\n"}
COMMAND = "sed -n '/def net(/,/^$/p' \"a b.py\" && echo 'x|y' > z"


def _call(arguments: Any, content: str | None = None) -> dict[str, Any]:
    function = {"name": "bash", "arguments": arguments}
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }


def _render(*messages: dict[str, Any], tools: Any = TOOLS, prompt: bool = False) -> str:
    text = renderer().apply_chat_template(
        list(messages), tools=tools, tokenize=False, add_generation_prompt=prompt
    )
    assert isinstance(text, str)
    return text


def test_tools_are_listed_by_name_and_parameters_in_the_first_system_message() -> None:
    assert _render(SYSTEM, USER, prompt=True) == (
        "<|im_start|>system\nFix it.\nTool: bash(command)<|im_end|>\n"
        "<|im_start|>user\nThe till is wrong.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_without_a_system_message_the_tools_get_one() -> None:
    assert _render(USER).startswith("<|im_start|>system\nTool: bash(command)<|im_end|>\n<|im_start|>user\n")


def test_without_tools_nothing_is_listed() -> None:
    for tools in (None, []):
        assert "Tool" not in _render(SYSTEM, USER, tools=tools)


def test_later_system_messages_stay_where_they_are() -> None:
    text = _render(SYSTEM, USER, {"role": "system", "content": "Hurry."})
    assert text.count("Tool: bash") == 1
    assert text.endswith("<|im_start|>system\nHurry.<|im_end|>\n")


@pytest.mark.parametrize("arguments", [{"command": COMMAND}, json.dumps({"command": COMMAND})])
@pytest.mark.parametrize("content", [None, ""])
def test_a_tool_call_is_rendered_as_the_policy_writes_it(arguments: Any, content: str | None) -> None:
    text = _render(SYSTEM, USER, _call(arguments, content))
    answer = text.split("<|im_start|>assistant\n")[1]
    body = answer.removeprefix("<tool_call>\n").removesuffix("\n</tool_call><|im_end|>\n")
    assert body == '{"name": "bash", "arguments": {"command": ' + json.dumps(COMMAND) + "}}"


def test_words_before_a_tool_call_are_kept() -> None:
    text = _render(USER, _call({"command": "ls"}, "I look."))
    assert "assistant\nI look.\n<tool_call>\n" in text


def test_neighbouring_tool_answers_share_a_turn_and_keep_their_indentation() -> None:
    answers = [{"role": "tool", "content": text} for text in ("    def a():\n", "OK")]
    assert _render(USER, *answers).endswith(
        "<|im_start|>user\n<tool_response>\n    def a():\n\n</tool_response>\n"
        "<tool_response>\nOK\n</tool_response><|im_end|>\n"
    )


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    assert "user\none two<|im_end|>" in _render({"role": "user", "content": parts})


def test_a_longer_conversation_begins_with_the_prompt_and_the_answer_before_it() -> None:
    before = _render(SYSTEM, USER, prompt=True)
    answer = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call><|im_end|>'
    after = _render(SYSTEM, USER, _call({"command": "ls"}), {"role": "tool", "content": "a"}, prompt=True)
    assert after.startswith(before + answer)
