"""The shape of a model is read from its config.json, wherever the language model's part of it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from liverl.preflight.model_facts import facts_of, read_facts
from tests.preflight.shapes import QWEN3_8B, QWEN3_30B_A3B, QWEN25_VL_7B, QWEN35_35B_A3B


@pytest.mark.parametrize(
    ("content", "billions"),
    [(QWEN3_30B_A3B, 30.5), (QWEN3_8B, 8.2), (QWEN25_VL_7B, 7.6)],
    ids=["mixture", "dense", "nested"],
)
def test_parameters_follow_from_the_shape_as_they_are_published(
    content: dict[str, Any], billions: float
) -> None:
    assert facts_of(content).parameters / 1e9 == pytest.approx(billions, rel=0.01)


@pytest.mark.parametrize("key", ["text_config", "llm_config", "language_config"])
def test_a_nested_language_model_is_found_under_every_name(key: str) -> None:
    facts = facts_of({"model_type": "vlm", key: QWEN3_8B, "vision_config": {"num_attention_heads": 16}})
    assert (facts.heads, facts.kv_heads, facts.hidden) == (32, 8, 4096)


def test_a_language_model_two_levels_down_is_found() -> None:
    facts = facts_of({"thinker_config": {"text_config": QWEN3_8B, "audio_config": {"hidden_size": 9}}})
    assert (facts.heads, facts.kv_heads) == (32, 8)


def test_dense_and_mixture_are_told_apart() -> None:
    assert facts_of(QWEN3_8B).kind == "dense"
    assert facts_of(QWEN3_30B_A3B).kind == "mixture of 128 experts"
    assert facts_of({"n_routed_experts": 64, "moe_topk": 4}).experts_per_token == 4


def test_layers_with_a_state_along_the_sequence_are_counted_apart() -> None:
    facts = facts_of(QWEN35_35B_A3B)
    assert (facts.kv_layers, facts.linear_layers, facts.layers) == (10, 30, 40)
    silent = {key: value for key, value in QWEN35_35B_A3B["text_config"].items() if key != "layer_types"}
    assert facts_of(silent).linear_layers == 30


@pytest.mark.parametrize("model_type", ["qwen3_next", "qwen3_5_moe_text"])
def test_a_gated_delta_net_is_known_by_its_type_where_its_config_says_no_more(model_type: str) -> None:
    facts = facts_of({"model_type": model_type, "num_hidden_layers": 48, "num_attention_heads": 16})
    assert (facts.kv_layers, facts.linear_layers) == (12, 36)


def test_a_model_that_names_no_key_value_heads_has_as_many_as_heads() -> None:
    assert facts_of({"num_attention_heads": 12, "hidden_size": 768}).kv_heads == 12


def test_counted_weights_go_before_the_shape(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(QWEN3_8B))
    read = read_facts(tmp_path)
    assert read is not None and read.parameters == facts_of(QWEN3_8B).parameters
    assert facts_of(QWEN3_8B, 5).parameters == 5


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "\x00", '{"num_attention_heads": "x", "architectures": 3}']
)
def test_a_config_of_any_content_is_read_or_left_and_never_raises(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    facts = read_facts(tmp_path)
    assert facts is None or facts.heads == 0
