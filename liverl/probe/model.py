"""Does Transformers read the model folder, does its chat template know tools, and can trials be run with it?

What was read is remembered by the model folder and the tasks. Without torch Transformers reads it in a second, which is
enough; the forward pass, which needs torch, is a live probe.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.policy.stamp import NAME, differences, make_stamp
from liverl.probe.agreement import agreement
from liverl.probe.conversation import render
from liverl.probe.digests import digest_of, model_digest, rooms_digest, versions
from liverl.probe.memory import Memory, Row
from liverl.probe.prompts import first_prompts, instructions
from liverl.probe.reading import READING, no_tools, read_tokenizer, unreadable

_TOOL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Runs a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """Architecture, window and vocabulary, `prompts`, `agreement` (CPU only; `{"untried": True}` where it is not
    remembered and may not be tried) and what of a built policy has `changed`; raises PolicyError naming what can't
    be read."""
    memory = Memory.in_user_cache("model")
    folder = config.model.folder
    try:
        digest = model_digest(folder)
    except OSError as error:
        raise unreadable(folder, error) from error
    told = {
        **_read_or_recall(config, memory, digest, light),
        "agreement": _agreement(config, memory, digest, light),
        "changed": _changed(config, memory, light),
    }
    memory.save()
    return told


def _read_or_recall(config: RunConfig, memory: Memory, digest: str, light: bool) -> Row:
    limit = config.rollout.max_prompt_length
    by = (versions("transformers", "tokenizers", "jinja2"), rooms_digest("probe", "scaffold", "gateway"))
    key = digest_of("read", digest, by, instructions(config), config.scaffold.name, limit)
    known = memory.recall(key)
    if known is not None:
        return known
    if light and "torch" not in sys.modules:
        sys.modules["torch"] = None  # type: ignore[assignment]  # as if it were not installed
    told = _read(config)
    memory.remember(key, told)
    return told


def _read(config: RunConfig) -> Row:
    settings, tokenizer, _ = _load(config.model.folder)
    return {
        "architecture": (settings.architectures or [settings.model_type])[0],
        "window": getattr(settings.get_text_config(), "max_position_embeddings", 0),
        "vocabulary": len(tokenizer),
        "prompts": first_prompts(config, tokenizer),
    }


def _load(folder: Path) -> tuple[Any, Any, str]:
    """The model's settings, its tokenizer, and a first prompt with a tool."""
    from transformers import AutoConfig

    tokenizer = read_tokenizer(folder)
    try:
        settings = AutoConfig.from_pretrained(folder)
    except READING as error:
        raise unreadable(folder, error) from error
    text = render(tokenizer, [{"role": "user", "content": "?"}], tools=[_TOOL], generate=True)
    if "bash" not in text:
        raise no_tools(folder)
    return settings, tokenizer, text


def _agreement(config: RunConfig, memory: Memory, digest: str, light: bool) -> Row | None:
    if config.engine.rollout != "cpu":
        return None
    window = config.rollout.max_prompt_length + config.rollout.max_response_length
    key = digest_of(
        "agreement", digest, versions("torch", "transformers"), rooms_digest("engine/cpu"), window
    )
    known = memory.recall(key)
    if known is not None:
        return known
    if light:
        return {"untried": True}
    _, tokenizer, text = _load(config.model.folder)
    told = agreement(config, tokenizer(text)["input_ids"])
    if "gap" in told:
        memory.remember(key, told)
    return told


def _changed(config: RunConfig, memory: Memory, light: bool) -> list[str]:
    """What the policy that is built here was made of and would not be now; a model of the user's own is none."""
    stamp = config.model.folder / NAME
    if config.model.path or not stamp.is_file():
        return []
    recipe = _recipe(config, memory, light) or _recipe_then(stamp)
    return differences(config.model.folder, make_stamp(config.experiment.seed, config.data.train, recipe))


def _recipe(config: RunConfig, memory: Memory, light: bool) -> Mapping[str, Any]:
    """What a build would do now; empty where that is not remembered and torch may not be imported for it."""
    key = digest_of("recipe", rooms_digest("policy"))
    known = memory.recall(key)
    if known is None and not light:
        from liverl.policy.build import stamp_of

        known = {"recipe": stamp_of(config.experiment.seed, config.data.train)["recipe"]}
        memory.remember(key, known)
    return known["recipe"] if known else {}


def _recipe_then(stamp: Path) -> Mapping[str, Any]:
    try:
        recipe: Mapping[str, Any] = json.loads(stamp.read_text(encoding="utf-8"))["recipe"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return recipe
