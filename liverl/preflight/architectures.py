"""Does the rollout server know the model's architecture? Looked up in vLLM's own list, which is read, not imported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from liverl.config import RunConfig
from liverl.config.verl_keys import VerlKeys
from liverl.preflight.finding import Finding
from liverl.preflight.model_facts import ModelFacts

_REGISTRY = "lib/python3*/site-packages/vllm/model_executor/models/registry.py"
_ENTRY = re.compile(r'^\s*"(\w+)":\s*\(', re.MULTILINE)
# verl/utils/model.py: _architecture_to_auto_class; the other classes are loaded without a language head.
_GENERATES = ("ForCausalLM", "ForConditionalGeneration", "ForVision2Seq", "ForImageTextToText")
_CODE_KEY = "actor_rollout_ref.model.trust_remote_code"


def known_to_vllm(python: Path) -> frozenset[str]:
    """The architectures that the vLLM of an interpreter's environment lists; none where there is no vLLM."""
    files = sorted(python.parent.parent.glob(_REGISTRY))
    try:
        return frozenset(_ENTRY.findall(files[0].read_text(encoding="utf-8"))) if files else frozenset()
    except OSError:
        return frozenset()


def judge_architecture(model: ModelFacts, config: RunConfig, known: frozenset[str]) -> list[Finding]:
    """One finding a reason against the architecture, else its name; `known` is empty where it can't be looked up."""
    return list(_against(model, config, known)) or [
        Finding("model:architecture", "info", f"The model is a {model.architecture}: {model.kind}")
    ]


def _against(model: ModelFacts, config: RunConfig, known: frozenset[str]) -> Iterator[Finding]:
    name, copy = model.architecture, "Copy the config.json of the model's release again"
    if not name or not model.model_type:
        title = "The model's config.json names no architecture"
        yield Finding(
            "model:architecture",
            "fatal",
            title,
            f"architectures: {name}, model_type: {model.model_type}",
            copy,
        )
        return
    if model.encoder_decoder or not any(part in name for part in _GENERATES):
        title = "The model is not a decoder that writes text"
        cure = "Set model.path to a causal language model, such as Qwen3"
        yield Finding("model:architecture", "fatal", title, name, cure)
    if config.engine.rollout == "vllm" and known and name not in known:
        title = "This vLLM does not list the model's architecture"
        cure = "Set model.path to a model of another architecture, or install a vLLM that knows this one"
        yield Finding(
            "model:architecture", "warn", title, f"{name} is not among {len(known)} in its registry", cure
        )
    if model.own_code and not _trusted(config):
        title = "The model's folder brings code of its own, which is not run"
        cure = f"Where Transformers does not know {name}, set {_CODE_KEY} to true in section verl"
        yield Finding("model:own_code", "info", title, "auto_map in config.json", cure)


def _trusted(config: RunConfig) -> bool:
    return VerlKeys.of(config).truth(_CODE_KEY, False)
