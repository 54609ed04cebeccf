"""An architecture is looked up where the data plane lists it, and a folder that names none is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig
from liverl.preflight.architectures import judge_architecture, known_to_vllm
from liverl.preflight.model_facts import facts_of
from tests.preflight.shapes import QWEN3_8B, QWEN25_VL_7B, gpu_profile


def judged(config: RunConfig, known: frozenset[str] = frozenset(), **changed: Any) -> tuple[str, str]:
    (finding,) = judge_architecture(facts_of({**QWEN3_8B, **changed}), config, known)
    return finding.id, finding.severity


def test_the_list_is_read_without_importing_it(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "python3.12" / "site-packages" / "vllm" / "model_executor" / "models"
    folder.mkdir(parents=True)
    (folder / "registry.py").write_text(
        'raise SystemExit\n_M = {\n    "Qwen3ForCausalLM": ("qwen3", "Q"),\n}\n'
    )
    assert known_to_vllm(tmp_path / "bin" / "python") == {"Qwen3ForCausalLM"}
    assert known_to_vllm(Path("/nowhere/bin/python")) == frozenset()


def test_a_listed_architecture_is_fine_and_another_is_warned_about(tmp_path: Path) -> None:
    config = gpu_profile(tmp_path)
    assert judged(config, frozenset({"Qwen3ForCausalLM"})) == ("model:architecture", "info")
    assert judged(config, frozenset({"LlamaForCausalLM"})) == ("model:architecture", "warn")
    assert judged(config) == ("model:architecture", "info")
    assert judged(RunConfig(), frozenset({"LlamaForCausalLM"})) == ("model:architecture", "info")


@pytest.mark.parametrize(
    "changed",
    [
        {"architectures": []},
        {"architectures": None},
        {"model_type": 3},
        {"architectures": ["BertForSequenceClassification"]},
        {"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True},
    ],
)
def test_a_model_that_writes_no_text_is_refused(changed: dict[str, Any]) -> None:
    assert judged(RunConfig(), **changed) == ("model:architecture", "fatal")


def test_a_multimodal_model_writes_text(tmp_path: Path) -> None:
    (finding,) = judge_architecture(facts_of(QWEN25_VL_7B), gpu_profile(tmp_path), frozenset())
    assert finding.severity == "info"


def test_code_in_the_folder_is_told() -> None:
    assert judged(RunConfig(), auto_map={"AutoConfig": "x"}) == ("model:own_code", "info")
    trusted = RunConfig.model_validate({"verl": {"actor_rollout_ref.model.trust_remote_code": True}})
    assert judged(trusted, auto_map={"AutoConfig": "x"}) == ("model:architecture", "info")
