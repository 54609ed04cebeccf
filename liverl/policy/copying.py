"""Initial weights that already copy: a previous-token head and a match head (Olsson et al. 2022, induction heads).

Every step of a trial copies names from what was read. Random weights take most of a build to find that circuit; here it
is there from the start, and imitation tunes it. The other layers begin as the identity (their output projections are
zero), so that nothing drowns it.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from transformers import Qwen3ForCausalLM

# The fastest rotary pairs tell neighbouring places apart; the slow ones hardly turn within a trial, so that they can
# compare contents at any distance.
PLACE_PAIRS = 2
TURNING_PAIRS = 7
SHARPNESS = 2.5


@torch.no_grad()
def start_with_copying(model: Qwen3ForCausalLM, seed: int) -> None:
    """Rewrites the first head of the first two layers in place; needs three times the head's width of hidden size."""
    generator = torch.Generator().manual_seed(seed)
    config = model.config
    width, hidden = config.head_dim, config.hidden_size
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
    frame = torch.linalg.qr(torch.randn(hidden, hidden, generator=generator))[0]
    constant, content, before, copied = frame[0], *frame[1 : 3 * width + 1].split(width)
    # One direction that all embeddings share gives the first head a query and a key that depend on the place alone.
    model.model.embed_tokens.weight.add_(0.7 * constant)
    frequencies = 1 / config.rope_parameters["rope_theta"] ** (torch.arange(0, width, 2) / width)
    _previous_token_head(model, frequencies, constant, content, before)
    _match_head(model, content, before, copied)


def _previous_token_head(
    model: Qwen3ForCausalLM, frequencies: Tensor, constant: Tensor, content: Tensor, before: Tensor
) -> None:
    """Layer 0 looks one token back and writes what it finds in the directions `before`."""
    attention, width = model.model.layers[0].self_attn, model.config.head_dim
    attention.q_proj.weight[:width] = torch.outer(_place(frequencies, 1), constant)
    attention.k_proj.weight[:width] = torch.outer(_place(frequencies, 0), constant)
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight[_pairs(width, 0, PLACE_PAIRS)] = SHARPNESS
    attention.v_proj.weight[:width] = content
    attention.o_proj.weight[:, :width] = 0.25 * before.T


def _match_head(model: Qwen3ForCausalLM, content: Tensor, before: Tensor, copied: Tensor) -> None:
    """Layer 1 looks at what came after an earlier occurrence of the present token, and proposes it."""
    attention, width = model.model.layers[1].self_attn, model.config.head_dim
    still = _pairs(width, TURNING_PAIRS, width // 2)
    for projection, read in ((attention.q_proj, content), (attention.k_proj, before)):
        projection.weight[:width] = 0
        projection.weight[still] = read[still]
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight[still] = SHARPNESS
    attention.v_proj.weight[:width] = copied
    attention.o_proj.weight[:, :width] = 0.75 * copied.T


def _place(frequencies: Tensor, back: int) -> Tensor:
    """A query whose product with the key of `back` 0 is largest `back` places earlier."""
    vector = torch.zeros(2 * len(frequencies))
    for pair in range(PLACE_PAIRS):
        angle = -float(frequencies[pair]) * back
        vector[pair], vector[pair + len(frequencies)] = math.cos(angle), math.sin(angle)
    return vector


def _pairs(width: int, first: int, last: int) -> list[int]:
    """Places of the rotary pairs `first` to `last` within a head: each pair is split over both halves."""
    return [place for pair in range(first, last) for place in (pair, pair + width // 2)]
