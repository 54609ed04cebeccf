"""Is the model folder complete, and does its window hold a trial?"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.model_facts import facts_of
from liverl.preflight.parallels import window

_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json")


def check_models(context: Context) -> list[Finding]:
    """What the folder lacks; whether Transformers reads it is a question of its own, `readable`."""
    config = context.config
    folder = config.model.folder
    if not config.model.path and not (folder / "config.json").is_file():
        title = "The policy is still to be built; `liverl run` does it in under three minutes"
        return [Finding("model:to_build", "info", title, str(folder))]
    findings = list(inspect_folder(folder, config))
    if findings:
        return findings
    title = "The model folder holds all that is needed"
    return [Finding("model:complete", "info", title, str(folder))]


def inspect_folder(folder: Path, config: RunConfig) -> Iterator[Finding]:
    """One finding a missing or impossible part of a Hugging Face model folder."""
    again = f"Copy the whole folder again, or set model.path to another ({folder})"
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        yield Finding("model:unreadable", "fatal", "The model folder can't be read", str(folder), again)
        return
    try:
        facts = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        yield Finding("model:no_config", "fatal", "The model has no readable config.json", str(error), again)
        return
    if not isinstance(facts, dict):
        title, seen = "The model has no readable config.json", "it holds no JSON object"
        yield Finding("model:no_config", "fatal", title, seen, again)
        return
    if not any(folder.glob("*.safetensors")) and not any(folder.glob("*.bin")):
        yield Finding("model:no_weights", "fatal", "The model folder holds no weights", str(folder), again)
    yield from _missing_shards(folder, again)
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        yield Finding(
            "model:no_tokenizer", "fatal", "The model folder holds no tokenizer", str(folder), again
        )
    elif not _has_template(folder):
        cure = "Add the chat_template.jinja of the instruction-tuned model"
        yield Finding("model:no_template", "fatal", "The model has no chat template", str(folder), cure)
    yield from _sizes(facts, config)


def _missing_shards(folder: Path, cure: str) -> Iterator[Finding]:
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        return
    try:
        named = {str(name) for name in json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()}
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        yield Finding("model:bad_index", "fatal", "The index of the weights can't be read", repr(error), cure)
        return
    missing = sorted(name for name in named if not (folder / name).is_file())
    if missing:
        title = f"{len(missing)} of {len(named)} weight files are missing"
        yield Finding("model:incomplete", "fatal", title, ", ".join(missing[:5]), cure)


def _has_template(folder: Path) -> bool:
    if (folder / "chat_template.jinja").is_file() or (folder / "chat_template.json").is_file():
        return True
    try:
        settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(settings, dict) and bool(settings.get("chat_template"))


def _sizes(facts: dict[str, Any], config: RunConfig) -> Iterator[Finding]:
    takes, wanted = facts_of(facts).window, window(config)
    if takes and takes < wanted:
        yield Finding(
            "model:window",
            "fatal",
            "A trial may get longer than the model's window",
            f"rollout.max_prompt_length + rollout.max_response_length = {wanted}, the model takes {takes}",
            f"Lower rollout.max_response_length to {max(1, takes - config.rollout.max_prompt_length)}",
        )
