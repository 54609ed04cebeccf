"""Is the model folder complete, does its window hold a trial, and is it what the run takes it for?"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.preflight.ask import ask
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

# In fp32 both agree to about 1e-5.
_LARGEST_GAP = 1e-3
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json")


def check_models(context: Context) -> list[Finding]:
    """What the folder lacks; where nothing is missing, Transformers itself is asked to read it."""
    config = context.config
    folder = config.model.folder
    if not config.model.path and not (folder / "config.json").is_file():
        title = "The policy is still to be built; `liverl run` does it in under three minutes"
        return [Finding("model:to_build", "info", title, str(folder))]
    findings = list(inspect_folder(folder, config))
    if findings:
        return findings
    return judge_answer(ask("model", context), context)


def judge_answer(answer: dict[str, Any], context: Context) -> list[Finding]:
    """What the data plane says of a model that it could read."""
    title = f"The model is readable: {answer['architecture']}, window of {answer['window']} tokens"
    folder = str(context.config.model.folder)
    return [
        Finding("model:readable", "info", title, folder),
        *_too_long(answer["prompts"], context),
        *_disagreement(answer["agreement"] or {}, str(answer["architecture"])),
        *_changed(answer["changed"], folder),
    ]


def _too_long(prompts: dict[str, Any], context: Context) -> Iterator[Finding]:
    limit = context.config.rollout.max_prompt_length
    if prompts["too_long"]:
        task, tokens = prompts["longest"]["task"], prompts["longest"]["tokens"]
        alone = "" if prompts["whole"] else " by its instruction alone"
        yield Finding(
            "task:prompt_too_long",
            "fatal",
            f"{prompts['too_long']} tasks begin with more than rollout.max_prompt_length",
            f"{task} takes {tokens} tokens{alone}, the limit is {limit}",
            f"Set rollout.max_prompt_length ({context.where('rollout.max_prompt_length')}) to at least {tokens}, "
            "or shorten the instructions",
        )


def _disagreement(agreement: dict[str, Any], architecture: str) -> Iterator[Finding]:
    if "unmeasured" in agreement:
        title = f"Whether the CPU server computes {architecture} rightly was not measured"
        yield Finding("model:unmeasured", "skipped", title, str(agreement["unmeasured"]))
        return
    cure = "Set model.path to a model of another architecture, such as Qwen3 or Llama, or train it on GPUs with vLLM"
    if "error" in agreement:
        title = f"The CPU server can't run {architecture}"
        yield Finding("model:unsupported", "fatal", title, str(agreement["error"]), cure)
    elif agreement.get("gap", 0.0) > _LARGEST_GAP:
        seen = f"log-probabilities differ by up to {agreement['gap']:.3g} from the model's own forward pass"
        title = f"The CPU server computes {architecture} wrongly"
        yield Finding("model:unsupported", "fatal", title, seen, cure)


def _changed(changed: list[str], folder: str) -> Iterator[Finding]:
    if changed:
        title = "The policy was built from something else than would be built now"
        cure = "liverl policy build   makes it anew"
        yield Finding("model:stale", "warn", title, f"{folder}: {'; '.join(changed)}", cure)


def inspect_folder(folder: Path, config: RunConfig) -> Iterator[Finding]:
    """One finding a missing or impossible part of a Hugging Face model folder."""
    again = f"Copy the whole folder again, or set model.path to another ({folder})"
    if not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        yield Finding("model:unreadable", "fatal", "The model folder can't be read", str(folder), again)
        return
    try:
        facts = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        yield Finding("model:no_config", "fatal", "The model has no readable config.json", str(error), again)
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
        named = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, AttributeError) as error:
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
    except (OSError, ValueError):
        return False
    return bool(settings.get("chat_template"))


def _sizes(facts: dict[str, Any], config: RunConfig) -> Iterator[Finding]:
    inner = facts.get("text_config") or facts
    window = inner.get("max_position_embeddings")
    wanted = config.rollout.max_prompt_length + config.rollout.max_response_length
    if isinstance(window, int) and window < wanted:
        yield Finding(
            "model:window",
            "fatal",
            "A trial may get longer than the model's window",
            f"rollout.max_prompt_length + rollout.max_response_length = {wanted}, the model takes {window}",
            f"Lower rollout.max_response_length to {max(1, window - config.rollout.max_prompt_length)}",
        )
    heads, split = inner.get("num_key_value_heads"), config.engine.tensor_parallel
    if config.engine.rollout == "vllm" and isinstance(heads, int) and heads % split:
        fitting = next(part for part in range(split, 0, -1) if heads % part == 0)
        yield Finding(
            "model:kv_heads",
            "fatal",
            "engine.tensor_parallel does not divide the model's key-value heads",
            f"{heads} heads over {split} GPUs end in an illegal memory access at the first forward pass",
            f"Set engine.tensor_parallel to {fitting}",
        )
