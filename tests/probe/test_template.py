"""A conversation with a tool through chat template, parser and stitching: what does not survive is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig
from liverl.errors import PolicyError
from liverl.probe.template import answer
from liverl.probe.try_template import difference
from tests.gateway.chat_model import TEMPLATE, small_tokenizer

CALL = '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}'


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def config_of(folder: Path, **rollout: object) -> RunConfig:
    return RunConfig.model_validate({"model": {"path": str(folder)}, "rollout": rollout})


def changed(model_folder: Path, tmp_path: Path, old: str, new: str) -> Path:
    """The small model with its template changed at one place."""
    folder = tmp_path / "changed"
    shutil.copytree(model_folder, folder)
    assert TEMPLATE.count(old) == 1
    small_tokenizer(TEMPLATE.replace(old, new)).save_pretrained(folder)
    return folder


def told(folder: Path, **rollout: object) -> dict[str, Any]:
    return answer(config_of(folder, **rollout), 60.0)


def whats(folder: Path, **rollout: object) -> list[str]:
    return [problem["what"] for problem in told(folder, **rollout)["problems"]]


def test_a_template_that_keeps_everything_is_remembered(model_folder: Path) -> None:
    assert answer(config_of(model_folder), 60.0, True) == {"untried": True}
    assert told(model_folder) == {"problems": [], "split": [], "cached": False}
    assert answer(config_of(model_folder), 60.0, True) == {"problems": [], "split": [], "cached": True}
    assert answer(config_of(model_folder, tool_parser="qwen3_coder"), 60.0, True) == {"untried": True}


def test_tools_that_are_left_out_are_an_error_that_says_so(model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"model\.no_tools"):
        told(changed(model_folder, tmp_path, "{{ tool | tojson }}", "a tool"))


def test_a_tool_call_that_is_left_out_is_told(model_folder: Path, tmp_path: Path) -> None:
    (problem,) = told(changed(model_folder, tmp_path, CALL, "a call"))["problems"]
    assert problem["what"] == "left_out"
    assert "the tool call's arguments" in problem["seen"]


def test_the_parser_of_another_format_reads_no_call(model_folder: Path) -> None:
    (problem,) = told(model_folder, tool_parser="qwen3_coder")["problems"]
    assert problem["what"] == "tool_call"
    assert "qwen3_coder reads no tool call in what the template writes" in problem["seen"]
    assert "<tool_call>" in problem["seen"]


def test_arguments_that_come_back_otherwise_are_told(model_folder: Path, tmp_path: Path) -> None:
    spelled = CALL.replace("{{ call.function.arguments | tojson }}", '{"command": "grep notes.txt"}')
    (problem,) = told(changed(model_folder, tmp_path, CALL, spelled))["problems"]
    assert problem["what"] == "tool_call"
    assert "'command': 'grep notes.txt'" in problem["seen"]


def test_a_template_that_rewrites_earlier_turns_says_where_and_how(
    model_folder: Path, tmp_path: Path
) -> None:
    folder = changed(
        model_folder,
        tmp_path,
        "{%- for message in messages %}",
        "{{ messages | length }}{%- for message in messages %}",
    )
    found = told(folder)
    assert found["problems"] == []
    assert [each["after"] for each in found["split"]] == ["a tool's result", "a new message of the user"]
    assert "became" in found["split"][0]["seen"]


def test_a_template_that_ends_turns_with_another_token_is_told(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(model_folder, folder)
    tokenizer = small_tokenizer()
    tokenizer.eos_token = "<|im_start|>"
    tokenizer.chat_template = TEMPLATE.replace("<|im_start|>", "<|begin|>")
    tokenizer.save_pretrained(folder)
    (problem,) = told(folder)["problems"]
    assert problem["what"] == "stop_token"
    assert "not with <|im_start|>" in problem["seen"]


@pytest.mark.parametrize(
    ("eos", "seen"),
    [(0, "which is none of [0]"), ([1, 99_999], "the ids [99999] are not among")],
    ids=["another token", "no token"],
)
def test_a_replica_that_stops_elsewhere_is_told(
    eos: object, seen: str, model_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "stops"
    shutil.copytree(model_folder, folder)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": eos}))
    (problem,) = told(folder)["problems"]
    assert problem["what"] == "stop_token"
    assert seen in problem["seen"]


def test_a_tokenizer_without_an_end_is_told(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "endless"
    shutil.copytree(model_folder, folder)
    tokenizer = small_tokenizer()
    tokenizer.eos_token = None
    tokenizer.save_pretrained(folder)
    assert "stop_token" in whats(folder)


def test_a_thinking_template_that_opens_the_thought_itself_keeps_the_call(
    model_folder: Path, tmp_path: Path
) -> None:
    opened = "{%- if add_generation_prompt %}<|im_start|>assistant\n"
    folder = changed(model_folder, tmp_path, opened, f"{opened}<think>\n")
    assert whats(folder) == []


def test_a_difference_names_its_place_and_both_texts() -> None:
    seen = difference("<system>1 turn</system><user>", "<system>2 turns</system><user>")
    assert seen.startswith("at character 8 '<system>1 turn")
    assert "became '<system>2 turns" in seen
