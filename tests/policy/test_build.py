"""A build of a few steps: it loads by Transformers' own classes, and its seed decides its weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from liverl.errors import PolicyError
from liverl.policy.build import Recipe, build, stamp_of
from liverl.policy.stamp import differences
from liverl.policy.tokenizer import MARKUP, SPECIAL
from liverl.scaffold.shell import TOOLS

TRAIN = Path(__file__).resolve().parents[2] / "tasks" / "train"
TINY = Recipe(skilled=48, mixed=16, vocab_size=600, tokenizer_texts=64)


def _build(out: Path, seed: int) -> Path:
    return build(out, TRAIN, seed, lambda stage, share: None, TINY).path


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(tmp_path_factory.mktemp("policy") / "one", 3)


def test_the_folder_loads_by_the_auto_classes(policy: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(policy)
    model = AutoModelForCausalLM.from_pretrained(policy)
    assert model.config.model_type == "qwen3"
    assert model.config.max_position_embeddings == 16384
    assert model.config.tie_word_embeddings
    assert len(tokenizer) == model.config.vocab_size
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert GenerationConfig.from_pretrained(policy).eos_token_id == end == tokenizer.eos_token_id


def test_special_tokens_are_one_id_each_and_text_comes_back_as_it_was(policy: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(policy)
    for token in (*SPECIAL, *MARKUP):
        assert len(tokenizer.encode(token, add_special_tokens=False)) == 1
    text = "    def café(a):\n\treturn a ≥ 1  # ok, it's <tool_call> | 'x'\n"
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_markup_survives_decoding_without_special_tokens(policy: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(policy)
    ids = tokenizer.encode('<tool_call>\n{"a": 1}\n</tool_call><|im_end|>', add_special_tokens=False)
    assert tokenizer.decode(ids, skip_special_tokens=True) == '<tool_call>\n{"a": 1}\n</tool_call>'


def test_the_template_travels_with_the_tokenizer(policy: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(policy)
    ids = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Go."}], tools=TOOLS, add_generation_prompt=True, return_dict=False
    )
    assert tokenizer.decode(ids).endswith("<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n")


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(policy: Path, tmp_path: Path) -> None:
    one, again, other = (
        AutoModelForCausalLM.from_pretrained(path).state_dict()
        for path in (policy, _build(tmp_path / "again", 3), _build(tmp_path / "other", 4))
    )
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert any(
        one[name].shape != other[name].shape or not torch.equal(one[name], other[name]) for name in one
    )


def test_a_folder_without_tasks_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=str(tmp_path)):
        build(tmp_path / "out", tmp_path, 0, lambda stage, share: None, TINY)


def test_the_folder_says_what_it_was_built_from(policy: Path, tmp_path: Path) -> None:
    assert differences(policy, stamp_of(3, TRAIN, TINY)) == []
    assert differences(policy, stamp_of(4, TRAIN, TINY)) == ["the seed was 3, now 4"]
    assert differences(policy, stamp_of(3, TRAIN)) == ["the recipe has changed"]
    tasks = tmp_path / "train"
    shutil.copytree(TRAIN, tasks)
    assert differences(policy, stamp_of(3, tasks, TINY)) == []
    next(iter(sorted(tasks.glob("*/instruction.md")))).write_text("Another one.\n")
    assert differences(policy, stamp_of(3, tasks, TINY)) == ["the training tasks have changed"]
    assert differences(tmp_path, stamp_of(3, TRAIN, TINY)) == []


def test_a_build_replaces_an_earlier_one_and_leaves_nothing_beside_it(policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "policy"
    shutil.copytree(policy, out)
    (out / "of-the-earlier-one").write_text("")
    (tmp_path / "policy.partial").mkdir()
    _build(out, 4)
    assert differences(out, stamp_of(4, TRAIN, TINY)) == []
    assert not (out / "of-the-earlier-one").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["policy"]


def test_a_folder_of_somebody_elses_files_is_left_alone(policy: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(PolicyError, match=r"policy\.not_built_here"):
        _build(tmp_path, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
