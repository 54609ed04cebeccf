"""How far the replica's log-probabilities are from those of the same weights in a plain forward pass.

verl's own metric of each step, `training/rollout_probs_diff_*`, is of probabilities; this one is of their logarithms,
over the tokens of trials whose weights lie in a folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liverl.record.trajectory import Segment, read_trajectory

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Difference:
    """Absolute differences over `tokens` sampled tokens; both 0.0 where there is none."""

    mean: float
    largest: float
    tokens: int


def compare(policy: Path, trials: Iterable[Path], temperature: float) -> Difference:
    """The replica's log-probabilities, of the trajectories in these folders, against the policy's in fp32."""
    import torch
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(policy, dtype=torch.float32, attn_implementation="sdpa")
    model.eval()
    total, largest, tokens = 0.0, 0.0, 0
    for folder in trials:
        for segment in read_trajectory(folder).segments:
            found = _segment(model, segment, temperature)
            total += float(found.sum())
            largest = max([largest, *found.tolist()])
            tokens += found.numel()
    return Difference(total / max(1, tokens), largest, tokens)


def _segment(model: Any, segment: Segment, temperature: float) -> Tensor:
    """The differences of a segment's sampled tokens, shape (sampled,)."""
    import torch

    start = len(segment.prompt_ids)
    ids = torch.tensor([[*segment.prompt_ids, *segment.response_ids]])
    with torch.inference_mode():
        logits = model(ids).logits[0, start - 1 : -1].float() / temperature
    logprobs = logits.log_softmax(-1).gather(1, ids[0, start:, None])[:, 0]
    sampled = torch.tensor(segment.response_mask, dtype=torch.bool)
    found: Tensor = (logprobs - torch.tensor(segment.response_logprobs)).abs()[sampled]
    return found
