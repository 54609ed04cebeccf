"""What the probe of the model measures: first prompts, the CPU server's arithmetic, what a policy was built from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    GraniteConfig,
    GraniteForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
)

from liverl.config import RunConfig
from liverl.policy.build import stamp_of
from liverl.policy.model import new_model
from liverl.policy.stamp import write_stamp
from liverl.policy.tokenizer import train_tokenizer
from liverl.probe import agreement as agreement_module
from liverl.probe.agreement import agreement
from liverl.probe.model import answer
from liverl.probe.prompts import first_prompts

WORDS = ["Fix the program so that its tests pass, then say that it is done."] * 8
SIZES: dict[str, Any] = {
    "vocab_size": 96,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
Make = Callable[[], Any]


def config_of(root: Path, **sections: dict[str, object]) -> RunConfig:
    tree: dict[str, dict[str, object]] = {
        "model": {"built_path": root / "policy"},
        "data": {"train": root / "train", "val": root / "val"},
    }
    return RunConfig.model_validate(tree | sections)


def save(model: Any, root: Path) -> RunConfig:
    model.save_pretrained(root / "policy")
    return config_of(root)


@pytest.mark.parametrize(
    "make",
    [lambda: LlamaForCausalLM(LlamaConfig(**SIZES)), lambda: new_model(train_tokenizer(WORDS, 300), 1)],
    ids=["llama", "the policy that is built here"],
)
def test_the_cpu_server_agrees_with_the_forward_pass_of_what_it_was_made_for(
    make: Make, tmp_path: Path
) -> None:
    assert agreement(save(make(), tmp_path), list(range(40)))["gap"] < 1e-5


@pytest.mark.parametrize(
    "make",
    [
        lambda: GraniteForCausalLM(GraniteConfig(**SIZES, logits_scaling=8.0)),
        lambda: Gemma2ForCausalLM(Gemma2Config(**SIZES, final_logit_softcapping=0.05, sliding_window=4096)),
        lambda: MistralForCausalLM(MistralConfig(**SIZES, sliding_window=30, initializer_range=0.5)),
    ],
    ids=["scaled logits", "capped logits", "a window that slides"],
)
def test_what_the_cpu_server_leaves_out_is_measured(make: Make, tmp_path: Path) -> None:
    assert agreement(save(make(), tmp_path), list(range(40)))["gap"] > 1e-3


def test_an_architecture_of_other_parts_is_an_error_in_words(tmp_path: Path) -> None:
    sizes = {name: value for name, value in SIZES.items() if name not in ("num_key_value_heads", "head_dim")}
    told = agreement(save(GPTNeoXForCausalLM(GPTNeoXConfig(**sizes)), tmp_path), list(range(40)))
    assert "Error" in told["error"]


def test_large_weights_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement_module, "MOST_BYTES", 1000)
    config = save(LlamaForCausalLM(LlamaConfig(**SIZES)), tmp_path)
    assert list(agreement(config, [1])) == ["unmeasured"]


def test_the_first_prompt_is_counted_with_the_shells_preamble_and_alone_for_other_scaffolds(
    tmp_path: Path,
) -> None:
    for split, name, instruction in (("train", "short", "Fix it."), ("val", "long", "Fix it. " * 200)):
        (tmp_path / split / name).mkdir(parents=True)
        (tmp_path / split / name / "instruction.md").write_text(instruction)
    tokenizer = train_tokenizer(WORDS, 300)
    shell = first_prompts(config_of(tmp_path), tokenizer)
    other = first_prompts(config_of(tmp_path, scaffold={"name": "claude-code"}), tokenizer)
    assert (shell["longest"]["task"], shell["too_long"], shell["whole"]) == ("long", 1, True)
    assert (other["longest"]["task"], other["too_long"], other["whole"]) == ("long", 1, False)
    assert shell["longest"]["tokens"] > other["longest"]["tokens"] > 256


def test_a_built_policy_says_what_has_changed_and_a_model_of_the_users_own_nothing(tmp_path: Path) -> None:
    tokenizer = train_tokenizer(WORDS, 300)
    config = save(new_model(tokenizer, 1), tmp_path)
    tokenizer.save_pretrained(tmp_path / "policy")
    assert answer(config, 60.0)["changed"] == []
    write_stamp(tmp_path / "policy", stamp_of(1, config.data.train))
    assert answer(config, 60.0)["changed"] == []
    other = config_of(tmp_path, experiment={"seed": 2})
    assert answer(other, 60.0)["changed"] == ["the seed was 1, now 2"]
    own = config_of(tmp_path, experiment={"seed": 2}, model={"path": str(tmp_path / "policy")})
    assert answer(own, 60.0)["changed"] == []
