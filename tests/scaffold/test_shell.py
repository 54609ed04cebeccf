"""The conversation's format, which the policy is trained on."""

from __future__ import annotations

from liverl.scaffold.shell import OBSERVATION_CHARS, SYSTEM_PROMPT, TOOLS, observation


def test_a_quiet_success_shows_nothing() -> None:
    assert observation("", "", 0) == ""


def test_output_comes_before_errors_and_ends_without_a_newline() -> None:
    assert observation("out\n", "err\n\n", 0) == "out\nerr"


def test_a_failure_says_its_exit_code_on_a_line_of_its_own() -> None:
    assert observation("out\n", "", 3) == "out\n[exit 3]"
    assert observation("", "", 3) == "[exit 3]"


def test_long_output_is_clipped_and_says_by_how_much() -> None:
    text = observation("x" * (OBSERVATION_CHARS + 7), "", 1)
    assert text == "x" * OBSERVATION_CHARS + "\n[7 characters cut]\n[exit 1]"


def test_there_is_one_tool_with_one_argument() -> None:
    assert [tool["function"]["name"] for tool in TOOLS] == ["bash"]
    assert TOOLS[0]["function"]["parameters"]["required"] == ["command"]
    assert "bash" in SYSTEM_PROMPT
    assert "/app" not in SYSTEM_PROMPT + str(TOOLS)
