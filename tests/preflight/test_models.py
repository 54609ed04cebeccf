"""A model folder is complete, or the missing part is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.models import check_models, inspect_folder, judge_answer
from tests.preflight.conftest import MakeConfig

MakeModel = Callable[..., Path]


def ids(folder: Path, make_config: MakeConfig, **sections: dict[str, object]) -> list[str]:
    return [finding.id for finding in inspect_folder(folder, make_config(**sections))]


def test_a_complete_folder_has_no_findings(
    make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    assert ids(make_model(tmp_path / "m"), make_config) == []


@pytest.mark.parametrize(
    ("part", "id_"),
    [
        ("config.json", "model:no_config"),
        ("model.safetensors", "model:no_weights"),
        ("tokenizer.json", "model:no_tokenizer"),
        ("chat_template.jinja", "model:no_template"),
    ],
)
def test_a_missing_part_is_named(
    part: str, id_: str, make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m")
    (folder / part).unlink()
    assert ids(folder, make_config) == [id_]


def test_a_missing_folder_is_unreadable(make_config: MakeConfig, tmp_path: Path) -> None:
    assert ids(tmp_path / "none", make_config) == ["model:unreadable"]


def test_a_broken_config_is_named(make_model: MakeModel, make_config: MakeConfig, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "m")
    (folder / "config.json").write_text("{")
    assert ids(folder, make_config) == ["model:no_config"]


def test_missing_shards_are_counted(make_model: MakeModel, make_config: MakeConfig, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "m")
    shards = {"a": "model.safetensors", "b": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    (finding,) = inspect_folder(folder, make_config())
    assert finding.title == "1 of 2 weight files are missing"


def test_a_window_too_small_for_a_trial_is_fatal(
    make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    (finding,) = inspect_folder(make_model(tmp_path / "m", window=600), make_config())
    assert finding.id == "model:window"
    assert "max_response_length to 344" in finding.cure


def test_heads_that_do_not_split_are_fatal_for_vllm(
    make_model: MakeModel, make_config: MakeConfig, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m", num_key_value_heads=6)
    gpu = {"engine": {"rollout": "vllm", "tensor_parallel": 4}}
    (finding,) = inspect_folder(folder, make_config(**gpu))
    assert (finding.id, finding.cure) == ("model:kv_heads", "Set engine.tensor_parallel to 3")


def test_a_policy_that_is_still_to_be_built_is_fine(make_context: Callable[..., Context]) -> None:
    (finding,) = check_models(make_context())
    assert (finding.id, finding.severity) == ("model:to_build", "info")


READABLE = {
    "architecture": "XForCausalLM",
    "window": 4096,
    "prompts": {"longest": {"task": "short", "tokens": 90}, "too_long": 0, "whole": True},
    "agreement": {"gap": 1e-6},
    "changed": [],
}


def judged(context: Context, **told: object) -> list[tuple[str, str]]:
    return [(finding.id, finding.severity) for finding in judge_answer({**READABLE, **told}, context)]


def test_a_model_that_does_all_that_a_run_asks_is_one_finding(make_context: Callable[..., Context]) -> None:
    assert judged(make_context()) == [("model:readable", "info")]
    assert judged(make_context(), agreement=None) == [("model:readable", "info")]


def test_a_first_prompt_that_is_too_long_names_task_tokens_limit_and_cure(
    make_context: Callable[..., Context],
) -> None:
    prompts = {"longest": {"task": "epic", "tokens": 300}, "too_long": 2, "whole": True}
    finding = judge_answer({**READABLE, "prompts": prompts}, make_context())[1]
    assert (finding.id, finding.severity) == ("task:prompt_too_long", "fatal")
    assert finding.evidence == "epic takes 300 tokens, the limit is 256"
    assert "rollout.max_prompt_length" in finding.cure
    assert "at least 300" in finding.cure


@pytest.mark.parametrize(
    ("agreement", "id_", "severity"),
    [
        ({"gap": 0.5}, "model:unsupported", "fatal"),
        ({"gap": float("inf")}, "model:unsupported", "fatal"),
        ({"error": "AttributeError: no lm_head"}, "model:unsupported", "fatal"),
        ({"unmeasured": "its weights take 9.0 GB"}, "model:unmeasured", "skipped"),
    ],
)
def test_an_architecture_that_the_cpu_server_gets_wrong_is_fatal_and_named(
    agreement: dict[str, object], id_: str, severity: str, make_context: Callable[..., Context]
) -> None:
    finding = judge_answer({**READABLE, "agreement": agreement}, make_context())[1]
    assert (finding.id, finding.severity) == (id_, severity)
    assert "XForCausalLM" in finding.title


def test_a_policy_built_from_something_else_is_a_warning_with_the_command(
    make_context: Callable[..., Context],
) -> None:
    finding = judge_answer({**READABLE, "changed": ["the seed was 1, now 2"]}, make_context())[1]
    assert (finding.id, finding.severity) == ("model:stale", "warn")
    assert "the seed was 1, now 2" in finding.evidence
    assert finding.cure.startswith("liverl policy build")
