"""Does the CPU replica compute what the model does?

Its batcher calls the decoder and the head by themselves, with a mask of its own: what an architecture does beside
(scaled or capped logits, sliding windows) is left out, and the log-probabilities would be silently wrong.
"""

from __future__ import annotations

from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from liverl.config import RunConfig

MOST_BYTES = 2_000_000_000
"""Larger weights take too long to load for a check."""
_PROMPT, _TOKENS = 24, 12


def agreement(config: RunConfig, ids: list[int]) -> dict[str, Any]:
    """`gap`, the largest difference of log-probabilities, or `error`, or `unmeasured` and why.

    `ids` is any text of the model's vocabulary; it is repeated to the length that is needed.
    """
    size_bytes = weight_bytes(config.model.folder)
    if size_bytes > MOST_BYTES:
        return {"unmeasured": f"its weights take {size_bytes / 1e9:.1f} GB, more than {MOST_BYTES / 1e9:.0f}"}
    try:
        return {"gap": _gap(config, ids)}
    except Exception as error:  # whatever an architecture that the batcher was not written for raises
        return {"error": f"{type(error).__name__}: {error}"[:600]}


def weight_bytes(folder: Path) -> int:
    """What the weight files of a model folder take on disk."""
    files = list(folder.glob("*.safetensors")) or list(folder.glob("*.bin"))
    return sum(file.stat().st_size for file in files)


def _gap(config: RunConfig, ids: list[int]) -> float:
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    model = AutoModelForCausalLM.from_pretrained(
        config.model.folder, dtype=torch.float32, attn_implementation="sdpa"
    ).eval()
    window = config.rollout.max_prompt_length + config.rollout.max_response_length
    prompt = list(islice(cycle(ids), _prompt_length(model.config.get_text_config(), window)))
    return max(
        _gap_of(model, each, sampled, logprobs) for each, sampled, logprobs in _generate(model, prompt)
    )


def _prompt_length(settings: Any, window: int) -> int:
    """Short, but for a model of sliding windows past one of them, where a trial may get that long."""
    sliding = getattr(settings, "sliding_window", None)
    kinds = getattr(settings, "layer_types", None) or ["sliding_attention"]
    if not isinstance(sliding, int) or not any("sliding" in kind for kind in kinds):
        return _PROMPT
    return max(_PROMPT, sliding + _TOKENS) if sliding < window else _PROMPT


def _generate(model: Any, prompt: list[int]) -> list[tuple[list[int], list[int], list[float]]]:
    """Greedy tokens of the prompt and, beside it in the batch, of its first half."""
    from liverl.engine.cpu.batcher import Batcher, Request, Result, Sampling

    prompts = [prompt, prompt[: len(prompt) // 2]]
    results: dict[int, Result | Exception] = {}
    batcher = Batcher(model, slots=len(prompts), capacity=len(prompt) + _TOKENS + 1, end_ids=set())
    for number, each in enumerate(prompts):
        batcher.submit(
            Request(each, Sampling(_TOKENS, temperature=0.0), partial(results.__setitem__, number))
        )
    while batcher.busy:
        batcher.step()
    found = []
    for number, each in enumerate(prompts):
        result = results[number]
        if isinstance(result, Exception):
            raise result
        found.append((each, result.token_ids, result.logprobs))
    return found


def _gap_of(model: Any, prompt: list[int], sampled: list[int], logprobs: list[float]) -> float:
    import torch

    with torch.inference_mode():
        logits_TV = model(torch.tensor([[*prompt, *sampled]]), use_cache=False).logits[0].float()
    places_R = torch.arange(len(sampled)) + len(prompt) - 1
    forward_R = torch.log_softmax(logits_TV[places_R], -1)[torch.arange(len(sampled)), torch.tensor(sampled)]
    # Not a number is as wrong as can be.
    return float((forward_R - torch.tensor(logprobs)).abs().nan_to_num(nan=float("inf")).max())
