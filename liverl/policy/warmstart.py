"""Imitation: trains the model on weighted token sequences for a fixed number of steps."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import Qwen3ForCausalLM


@dataclass(frozen=True)
class Sample:
    """Token ids of one conversation, and each token's weight in the loss."""

    ids: list[int]
    weights: list[float]


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to learn; `peak` is the highest learning rate, reached after `warmup_steps`."""

    batch_size: int = 16
    peak: float = 8e-3
    warmup_steps: int = 40
    floor: float = 0.02


def imitate(
    model: Qwen3ForCausalLM,
    samples: Sequence[Sample],
    schedule: Schedule,
    seed: int,
    progress: Callable[[int, int, float], None],
) -> float:
    """One pass over the samples, in their order up to shuffling within stretches; returns the last mean loss.

    Muon (Jordan et al. 2024) trains the hidden matrices, AdamW the rest; the learning rate rises linearly and
    falls linearly. `progress` gets the step, all steps and the loss of the imitated tokens.
    """
    batches = list(_batches(samples, schedule.batch_size, random.Random(seed)))
    optimizers = _optimizers(model, schedule.peak)
    recent: list[float] = []
    model.train()
    # Without the fused kernel, whose backward pass takes twice as long for short sequences on a CPU.
    model.set_attn_implementation("eager")
    for step, batch in enumerate(batches):
        loss, shown = _loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        rate = _rate(step, len(batches), schedule)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        recent = [*recent[-49:], shown]
        progress(step + 1, len(batches), math.fsum(recent) / len(recent))
    model.eval()
    model.set_attn_implementation("sdpa")
    return math.fsum(recent) / len(recent)


def _rate(step: int, steps: int, schedule: Schedule) -> float:
    rising = min(1.0, (step + 1) / schedule.warmup_steps)
    return schedule.peak * rising * max(schedule.floor, 1 - step / steps)


def _optimizers(model: Qwen3ForCausalLM, rate: float) -> tuple[torch.optim.Optimizer, ...]:
    hidden = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    rest = [p for name, p in model.named_parameters() if p.ndim != 2 or "embed" in name]
    muon = torch.optim.Muon(
        hidden, lr=rate, weight_decay=0.05, momentum=0.95, ns_steps=4, adjust_lr_fn="match_rms_adamw"
    )
    return muon, torch.optim.AdamW(rest, lr=rate, weight_decay=0.0, betas=(0.9, 0.95))


def _batches(samples: Sequence[Sample], size: int, rng: random.Random) -> Iterator[list[Sample]]:
    """Batches of similar length, taken from stretches of 16 batches, so that the order of the samples counts."""
    stretch = size * 16
    for start in range(0, len(samples), stretch):
        part = sorted(samples[start : start + stretch], key=lambda sample: len(sample.ids))
        batches = [part[i : i + size] for i in range(0, len(part), size)]
        rng.shuffle(batches)
        yield from batches


def _loss(model: Qwen3ForCausalLM, batch: Sequence[Sample]) -> tuple[Tensor, float]:
    """Weighted mean cross entropy, and the plain mean over the tokens of full weight."""
    longest = max(len(sample.ids) for sample in batch)
    ids_BT = torch.zeros(len(batch), longest, dtype=torch.long)
    weights_BT = torch.zeros(len(batch), longest)
    for row, sample in enumerate(batch):
        ids_BT[row, : len(sample.ids)] = torch.tensor(sample.ids)
        weights_BT[row, : len(sample.ids)] = torch.tensor(sample.weights)
    learned = weights_BT[:, 1:] > 0
    # Twice as fast where the processor multiplies bfloat16; without that it would be slower.
    with torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported()):
        hidden_BTD = model.model(input_ids=ids_BT[:, :-1], use_cache=False).last_hidden_state
        logits_NV = model.lm_head(hidden_BTD[learned])
    losses_N = F.cross_entropy(logits_NV.float(), ids_BT[:, 1:][learned], reduction="none")
    weights_N = weights_BT[:, 1:][learned]
    full = losses_N.detach()[weights_N >= 1.0]
    return (losses_N * weights_N).sum() / weights_N.sum(), full.mean().item()
