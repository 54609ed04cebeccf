"""How long is the first prompt of a trial? Too long a one ends its trials before they begin."""

from __future__ import annotations

from typing import Any

from liverl.config import RunConfig
from liverl.errors import PolicyError
from liverl.gateway.messages import MessageError
from liverl.gateway.template import ChatTemplate


def first_prompts(config: RunConfig, tokenizer: Any) -> dict[str, Any]:
    """`longest` (`task`, `tokens`) and `too_long`, the number of tasks above rollout.max_prompt_length.

    `whole` says whether system prompt and tools are counted: those of the shell scaffold are known, of another
    scaffold only the instruction is. Raises PolicyError where the chat template refuses the prompt.
    """
    whole = config.scaffold.name == "shell"
    lengths = {task: _tokens(tokenizer, text, whole) for task, text in instructions(config).items()}
    if not lengths:
        return {"longest": None, "too_long": 0, "whole": whole}
    task = max(lengths, key=lambda name: lengths[name])
    limit = config.rollout.max_prompt_length
    return {
        "longest": {"task": task, "tokens": lengths[task]},
        "too_long": sum(1 for tokens in lengths.values() if tokens > limit),
        "whole": whole,
    }


def instructions(config: RunConfig) -> dict[str, str]:
    """What each task of both sets asks, by the task's name."""
    return {
        file.parent.name: file.read_text(encoding="utf-8", errors="replace")
        for folder in (config.data.train, config.data.val)
        for file in sorted(folder.glob("*/instruction.md"))
    }


def _tokens(tokenizer: Any, instruction: str, whole: bool) -> int:
    if not whole:
        return len(tokenizer(instruction, add_special_tokens=False)["input_ids"])
    from liverl.scaffold.shell import SYSTEM_PROMPT, TOOLS

    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": instruction}]
    try:
        return len(ChatTemplate(tokenizer, ()).prompt(messages, TOOLS))
    except MessageError as error:
        raise PolicyError(
            "model.template_refuses",
            "The model's chat template can't render the first prompt of a trial",
            evidence=str(error),
            next_action="Use a chat_template.jinja that takes a system prompt and tools, or another model",
        ) from error
