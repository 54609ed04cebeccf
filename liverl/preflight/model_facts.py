"""What a model's config.json says of its shape, the language model's part of it where it holds several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from liverl.preflight.weights import count_parameters

# Where multimodal configurations keep the language model; `thinker_config` holds a `text_config` of its own.
_NESTED = ("thinker_config", "text_config", "llm_config", "language_config", "language_model")
_HEADS = ("num_attention_heads", "n_head", "num_heads")
_LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
_HIDDEN = ("hidden_size", "n_embd", "d_model")
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_routed_experts")
_ROUTED = ("num_experts_per_tok", "moe_topk", "moe_k", "top_k_experts", "num_experts_per_token")
_SHARED = ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size")
# Layer types that carry a state along the sequence instead of a key-value cache.
_LINEAR = ("linear_attention", "mamba", "mamba2", "gated_delta_net", "recurrent")
_GATED_DELTA = ("qwen3_next", "qwen3_5")
# Beyond this a number is not one of a model, and arithmetic with it may overflow.
_LARGEST = 1 << 50


@dataclass(frozen=True)
class ModelFacts:
    """A language model's shape; a number that config.json does not say is 0.

    `kv_layers` keep every token's keys and values, `sliding_layers` those of the last `sliding_window` tokens,
    `linear_layers` a state of fixed size. `latent` is the width of a compressed cache (multi-head latent attention).
    """

    architecture: str
    model_type: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    intermediate: int
    window: int
    tied: bool
    experts: int
    experts_per_token: int
    expert_width: int
    shared_width: int
    kv_layers: int
    sliding_layers: int
    sliding_window: int
    linear_layers: int
    latent: int
    encoder_decoder: bool
    own_code: bool
    parameters: int = 0

    @property
    def is_moe(self) -> bool:
        """Whether tokens are routed to experts."""
        return self.experts > 1

    @property
    def kind(self) -> str:
        """Dense, or a mixture of how many experts."""
        return f"mixture of {self.experts} experts" if self.is_moe else "dense"

    @property
    def layer_parameters(self) -> float:
        """Parameters of one layer on average, embeddings apart."""
        embeddings = self.vocabulary * self.hidden * (1 if self.tied else 2)
        return max(0, self.parameters - embeddings) / max(1, self.layers)


def read_facts(folder: Path) -> ModelFacts | None:
    """The facts of a model folder with its parameters counted; None where it has no readable config.json."""
    try:
        content = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    try:
        counted = count_parameters(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        counted = 0  # the question about the model says what is wrong with the file
    return facts_of(content, counted if 0 < counted < _LARGEST else 0)


def facts_of(content: Mapping[str, Any], parameters: int = 0) -> ModelFacts:
    """The facts of a config.json's content; parameters are worked out from the shape where they are not given."""
    own = language_part(content)
    heads, hidden, layers = _whole(own, *_HEADS), _whole(own, *_HIDDEN), _whole(own, *_LAYERS)
    full, sliding, linear = _layer_kinds(own, layers)
    intermediate = _whole(own, "intermediate_size", "ffn_hidden_size", "n_inner")
    architectures = content.get("architectures")
    named = architectures[0] if isinstance(architectures, list) and architectures else ""
    facts = ModelFacts(
        architecture=named if isinstance(named, str) else "",
        model_type=_text(content.get("model_type")),
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=_whole(own, "num_key_value_heads", "num_kv_heads", "multi_query_group_num") or heads,
        head_dim=_whole(own, "head_dim") or (hidden // heads if heads else 0),
        vocabulary=_whole(own, "vocab_size"),
        intermediate=intermediate,
        window=_whole(own, "max_position_embeddings", "n_positions", "seq_length"),
        tied=bool(content.get("tie_word_embeddings", own.get("tie_word_embeddings", False))),
        experts=_whole(own, *_EXPERTS),
        experts_per_token=_whole(own, *_ROUTED) or 1,
        expert_width=_whole(own, "moe_intermediate_size", "expert_ffn_hidden_size") or intermediate,
        shared_width=_whole(own, *_SHARED),
        kv_layers=full,
        sliding_layers=sliding,
        sliding_window=_whole(own, "sliding_window"),
        linear_layers=linear,
        latent=_whole(own, "kv_lora_rank") and _whole(own, "kv_lora_rank") + _whole(own, "qk_rope_head_dim"),
        encoder_decoder=content.get("is_encoder_decoder") is True,
        own_code="auto_map" in content,
        parameters=parameters,
    )
    return facts if parameters else _with_parameters(facts)


def language_part(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The language model's settings over those around them: a nested one may leave out what it shares."""
    for key in _NESTED:
        inner = content.get(key)
        if isinstance(inner, Mapping):
            return {**content, **language_part(inner)}
    return content


def _layer_kinds(own: Mapping[str, Any], layers: int) -> tuple[int, int, int]:
    """Layers with full, sliding-window and linear attention."""
    kinds = own.get("layer_types") or own.get("layers_block_type")
    if isinstance(kinds, list) and kinds:
        linear = sum(1 for kind in kinds if kind in _LINEAR)
        sliding = sum(1 for kind in kinds if kind == "sliding_attention")
        return len(kinds) - linear - sliding, sliding, linear
    if isinstance(kimi := own.get("linear_attn_config"), Mapping):
        listed = kimi.get("full_attn_layers")
        full = len(listed) if isinstance(listed, list) else 0
        return full, 0, layers - full
    if _whole(own, "linear_num_value_heads") or _text(own.get("model_type")).startswith(_GATED_DELTA):
        # transformers: configuration_qwen3_next.py; every fourth layer has full attention where nothing is said.
        full = layers // (_whole(own, "full_attention_interval") or 4)
        return full, 0, layers - full
    return layers, 0, 0


def _with_parameters(facts: ModelFacts) -> ModelFacts:
    """With the parameters of a decoder of this shape: attention, a gated MLP or experts, embeddings."""
    attention = 2 * facts.hidden * facts.head_dim * (facts.heads + facts.kv_heads)
    mlp = 3 * facts.hidden * facts.intermediate
    if facts.is_moe:
        mlp = 3 * facts.hidden * (facts.experts * facts.expert_width + facts.shared_width)
        mlp += facts.hidden * facts.experts
    embeddings = facts.vocabulary * facts.hidden * (1 if facts.tied else 2)
    return replace(facts, parameters=facts.layers * (attention + mlp) + embeddings)


def _whole(own: Mapping[str, Any], *names: str) -> int:
    """The first of the keys that holds a whole number above 0; 0 where none does."""
    values = (own.get(name) for name in names)
    return next((v for v in values if isinstance(v, int) and not isinstance(v, bool) and 0 < v < _LARGEST), 0)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
