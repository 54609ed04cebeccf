"""What a log says of a run's set-up, by the names of docs/writeups.md; a set-up that is not known for sure is not told.

settings_of     what stands in a log's beginning
configured_in   the values of the configuration that is printed there
family_of       the family that a model's path names
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from liverl.log.printed import of_dicts, of_flags, of_overrides

# A configuration is printed before the first step.
HEAD_BYTES = 1 << 19
# Which dotted keys decide something, in verl, SkyRL, AReaL and in SkyRL's use of Harbor.
_KEYS = {
    "actor_rollout_ref.actor.strategy": "engine",
    "trainer.strategy": "engine",
    "model_engine": "engine",
    "actor_rollout_ref.rollout.name": "rollout",
    "generator.backend": "rollout",
    "generator.inference_engine.backend": "rollout",
    "actor_rollout_ref.rollout.mode": "rollout_mode",
    "trainer.v1.trainer_mode": "mode",
    "algorithm.adv_estimator": "algorithm",
    "trainer.algorithm.advantage_estimator": "algorithm",
    "actor_rollout_ref.model.path": "model",
    "trainer.policy.model.path": "model",
    "actor.path": "model",
    "allocation_mode": "allocation",
    "harbor_trial_config.agent.name": "scaffold",
    "terminal_bench_config.agent.name": "scaffold",
    "harbor_trial_config.environment.type": "backend",
}
_FLAGS = {
    "advantage_estimator": "algorithm",
    "model_name_or_path": "model",
    "pretrain": "model",
    "hf_checkpoint": "model",
}
KNOWN = {
    "engine": r"fsdp2?|fsdp_turbo|megatron|veomni|torchtitan|deepspeed",
    "rollout": r"vllm|sglang|trtllm|hf",
    "rollout_mode": r"sync|async",
    "mode": r"sync|async",
    "algorithm": r"[a-z][a-z0-9_+]{1,40}",
    "scaffold": r"[a-z][\w-]{1,40}",
    "backend": r"[a-z][\w-]{1,40}",
    # verl names models of its own where nobody chose one.
    "model": r"(?!~/models/)[\w./~@:+-]{3,200}",
}
_AS = {
    "rollout": {"sglang_async": "sglang", "vllm_async": "vllm"},
    "mode": {"colocate_async": "async", "separate_async": "async"},
}
# AReaL: `sglang:d4p1t1+fsdp:d4`, `vllm.d4p1t1+d4p1t1`.
_ALLOCATED = {"rollout": re.compile(r"\b(vllm|sglang)[.:]"), "engine": re.compile(r"\b(fsdp|megatron):")}
# Programs that train while others still generate, and the section that verl's has; its configuration says `sync` too.
_ASYNC = (
    b"fully_async_main",
    b"fully_async_policy",
    b"one_step_off_policy",
    b"FullyAsyncTrainer",
    b"'async_training'",
)
_BY_NAME = (
    (r"distill[-_]qwen", "qwen2.5"),
    (r"distill[-_]llama", "llama"),
    (r"qwen[-_]?3[._]?5", "qwen3.5"),
    (r"qwen[-_]?3.{0,12}next", "qwen3_next"),
    (r"qwen[-_]?3.{0,12}-a\d+b|qwen3[-_]?moe", "qwen3_moe"), (r"qwen[-_]?3", "qwen3"),
    (r"qwen[-_]?2[._]5.{0,3}vl", "qwen2.5_vl"), (r"qwen[-_]?2[._]?5", "qwen2.5"),
    (r"qwen[-_]?2", "qwen2"),
    (r"llama[-_]?4", "llama4"), (r"llama", "llama"), (r"gemma", "gemma"), (r"gpt[-_]oss", "gpt_oss"),
    (r"deepseek", "deepseek"), (r"mixtral", "mixtral"), (r"mistral|devstral", "mistral"),
    (r"glm", "glm"), (r"phi-?\d", "phi"),
    (r"kimi|moonlight", "kimi"), (r"minimax", "minimax"), (r"olmo", "olmo"), (r"smollm", "smollm"),
)  # fmt: skip
FAMILIES = frozenset(family for _, family in _BY_NAME)
# A model's name stands at the end of its path, or two folders before it: .../models--Qwen--Qwen3-8B/snapshots/1a2b.
_NAMED_BY = 3


def settings_of(head: bytes) -> dict[str, str]:
    """Engine, rollout, mode, algorithm, model, family, scaffold and backend, as far as a log's first bytes tell them.

    What is printed as the whole configuration counts more than a command line, which may say a key twice. Where two
    say otherwise (two runs in one log, a sentence about another), nothing is told.
    """
    given = (*of_overrides(head, _KEYS), *of_flags(head, _FLAGS))
    found = _agreed(given) | _agreed(of_dicts(head))
    if any(name in head for name in _ASYNC):
        found["mode"] = "async"
    if family := family_of(found.get("model", "")):
        found["family"] = family
    return {name: value for name, value in found.items() if value}


def configured_in(head: bytes) -> dict[str, str]:
    """The values of the configuration that a log's first bytes print, by dotted key; one that is told in two ways by
    two configurations is left out."""
    found: dict[str, set[str]] = {}
    for key, value in of_dicts(head):
        found.setdefault(key, set()).add(value)
    return {key: values.pop() for key, values in found.items() if len(values) == 1}


def family_of(path: str) -> str:
    """The family that a model's path or name tells; "" where it tells none."""
    name = "/".join(path.rstrip("/").split("/")[-_NAMED_BY:])
    return next((family for sign, family in _BY_NAME if re.search(sign, name, re.IGNORECASE)), "")


def _agreed(told: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The settings; one that is told in two ways is "", for not known."""
    found: dict[str, set[str]] = {}
    for key, value in told:
        for name, said in _named(_KEYS.get(key) or _FLAGS.get(key, ""), value):
            found.setdefault(name, set()).add(said)
    return {name: values.pop() if len(values) == 1 else "" for name, values in found.items()}


def _named(name: str, value: str) -> Iterable[tuple[str, str]]:
    if name == "allocation":
        return [(part, met.group(1)) for part, sign in _ALLOCATED.items() if (met := sign.search(value))]
    said = _AS.get(name, {}).get(value, value)
    return [(name, said)] if name and re.fullmatch(KNOWN[name], said) else []
