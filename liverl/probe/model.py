"""Does Transformers read the model folder, does its chat template know tools, and can trials be run with it?"""

from __future__ import annotations

from typing import Any

from liverl.config import RunConfig
from liverl.errors import PolicyError
from liverl.policy.stamp import NAME, differences
from liverl.probe.agreement import agreement
from liverl.probe.prompts import first_prompts

_TOOL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Runs a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}


def answer(config: RunConfig, timeout_s: float) -> dict[str, Any]:
    """Architecture, window and vocabulary, `prompts`, `agreement` (CPU only) and what of a built policy has
    `changed`; raises PolicyError naming what can't be read."""
    from transformers import AutoConfig, AutoTokenizer

    folder = config.model.folder
    try:
        settings = AutoConfig.from_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": "?"}], tools=[_TOOL], tokenize=False, add_generation_prompt=True
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PolicyError(
            "model.unreadable",
            f"Transformers can't read the model in {folder}",
            evidence=f"{type(error).__name__}: {error}",
            next_action="Copy the whole folder again, or set model.path to another",
        ) from error
    if "bash" not in text:
        raise PolicyError(
            "model.no_tools",
            "The model's chat template leaves tools out",
            evidence=str(folder),
            next_action="Use the instruction-tuned model, or a chat_template.jinja that renders tools",
        )
    inner = settings.get_text_config()
    return {
        "architecture": (settings.architectures or [settings.model_type])[0],
        "window": getattr(inner, "max_position_embeddings", 0),
        "vocabulary": len(tokenizer),
        "prompts": first_prompts(config, tokenizer),
        "agreement": agreement(config, tokenizer(text)["input_ids"])
        if config.engine.rollout == "cpu"
        else None,
        "changed": _changed(config),
    }


def _changed(config: RunConfig) -> list[str]:
    """What the policy that is built here was made of and would not be now; a model of the user's own is none."""
    if config.model.path or not (config.model.folder / NAME).is_file():
        return []
    from liverl.policy.build import stamp_of

    return differences(config.model.folder, stamp_of(config.experiment.seed, config.data.train))
