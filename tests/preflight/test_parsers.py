"""The tool parser is held against what the chat template shows, and against the name where it shows nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import liverl.policy
from liverl.preflight.parsers import expected, judge_parser, read_template, spoken
from tests.preflight.conftest import MakeConfig

# As Jinja files hold them: the line feed and the quotes with a backslash.
JSON_CALLS = (
    r"""{{- "within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, """
    r"""\"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n" }}"""
)
XML_CALLS = (
    r"""{{- '<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n"""
    r"""</parameter>\n</function>\n</tool_call>' }}"""
)
GLM_CALLS = r"""<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>{{ tc.arguments }}"""
LLAMA_CALLS = r"""<function=example_function_name>{"example_name": "example_value"}</function>"""


def judged(
    make_config: MakeConfig, template: str, name: str, parser: str, scaffold: str = "shell"
) -> tuple[str, str]:
    config = make_config(rollout={"tool_parser": parser}, scaffold={"name": scaffold})
    (finding,) = judge_parser(template, name, config)
    assert finding.id == "model:parser"
    return finding.severity, finding.cure


@pytest.mark.parametrize(
    ("template", "parser"),
    [(JSON_CALLS, "hermes"), (XML_CALLS, "qwen3_coder"), (GLM_CALLS, None), (LLAMA_CALLS, None), ("", None)],
    ids=["json", "xml", "glm", "llama", "empty"],
)
def test_a_template_shows_how_calls_are_written(template: str, parser: str | None) -> None:
    assert spoken(template) == parser


def test_the_small_policys_own_template_shows_json() -> None:
    folder = Path(liverl.policy.__file__).parent
    assert spoken(read_template(folder)) == "hermes"


@pytest.mark.parametrize(
    ("name", "scaffold", "parser"),
    [
        ("Qwen3.5-35B-A3B", "shell", "qwen3_coder"),
        ("Qwen3.6-27B", "claude-code", "qwen3_coder"),
        ("Qwen3-Coder-30B-A3B-Instruct", "shell", "qwen3_coder"),
        ("Qwen3-30B-A3B-Instruct-2507", "claude-code", "qwen3_coder"),
        ("Qwen3-30B-A3B-Instruct-2507", "shell", "hermes"),
        ("Llama-3.1-8B", "shell", None),
    ],
)
def test_names_are_known_to_need_a_parser(name: str, scaffold: str, parser: str | None) -> None:
    assert expected(name, scaffold) == parser


def test_the_template_is_believed_before_the_name(make_config: MakeConfig) -> None:
    assert judged(make_config, JSON_CALLS, "Qwen3.5-4B", "hermes") == ("info", "")
    assert judged(make_config, XML_CALLS, "mine", "hermes") == (
        "fatal",
        "Set rollout.tool_parser to qwen3_coder",
    )
    assert judged(make_config, JSON_CALLS, "mine", "qwen3_coder") == (
        "fatal",
        "Set rollout.tool_parser to hermes",
    )


def test_a_parser_that_the_scaffold_is_known_to_need_is_only_warned_about(make_config: MakeConfig) -> None:
    severity, cure = judged(
        make_config, JSON_CALLS, "Qwen3-30B-A3B-Instruct-2507", "qwen3_coder", "claude-code"
    )
    assert severity == "warn"
    assert cure.startswith("liverl check --probe")


def test_without_a_template_the_name_decides(make_config: MakeConfig) -> None:
    assert judged(make_config, "", "Qwen3.5-4B", "hermes") == (
        "fatal",
        "Set rollout.tool_parser to qwen3_coder",
    )
    assert judged(make_config, "", "Qwen3.5-4B", "qwen3_coder")[0] == "info"
    assert judged(make_config, GLM_CALLS, "GLM-4.6", "hermes")[0] == "warn"


@pytest.mark.parametrize("name", ["chat_template.json", "tokenizer_config.json"])
def test_a_template_is_found_wherever_a_folder_keeps_it(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(json.dumps({"chat_template": XML_CALLS}))
    assert read_template(tmp_path) == XML_CALLS


def test_of_several_templates_the_one_for_tools_counts(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": JSON_CALLS}, 3]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": named}))
    assert read_template(tmp_path) == JSON_CALLS


@pytest.mark.parametrize("text", ["", "[]", '{"chat_template": 3}', '{"chat_template": [[]]}'])
def test_a_broken_tokenizer_config_is_no_template(text: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(text)
    assert read_template(tmp_path) == ""
