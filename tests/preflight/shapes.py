"""config.json of published models, as far as their shape goes, and the profile that ships for 8 GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from liverl.config import Facts, RunConfig, load

GPU_HOST = Facts(gpus=8, cores=96, memory_gb=1500.0)
# What an H100 of 80 GB tells: 81559 MiB.
GPU_BYTES = 81559 << 20

QWEN3_30B_A3B: dict[str, Any] = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "vocab_size": 151936,
    "intermediate_size": 6144,
    "moe_intermediate_size": 768,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "max_position_embeddings": 262144,
    "tie_word_embeddings": False,
}
QWEN3_8B: dict[str, Any] = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "hidden_size": 4096,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "intermediate_size": 12288,
    "max_position_embeddings": 40960,
    "tie_word_embeddings": False,
}
QWEN25_VL_7B: dict[str, Any] = {
    "architectures": ["Qwen2_5_VLForConditionalGeneration"],
    "model_type": "qwen2_5_vl",
    "tie_word_embeddings": False,
    "text_config": {
        "model_type": "qwen2_5_vl_text",
        "hidden_size": 3584,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "vocab_size": 152064,
        "intermediate_size": 18944,
        "max_position_embeddings": 128000,
        "layer_types": ["full_attention"] * 28,
    },
    "vision_config": {"hidden_size": 1280, "num_heads": 16, "depth": 32},
}
QWEN35_35B_A3B: dict[str, Any] = {
    "architectures": ["Qwen3_5MoeForConditionalGeneration"],
    "model_type": "qwen3_5_moe",
    "tie_word_embeddings": False,
    "text_config": {
        "model_type": "qwen3_5_moe_text",
        "hidden_size": 2048,
        "num_hidden_layers": 40,
        "num_attention_heads": 16,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "vocab_size": 248320,
        "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512,
        "num_experts": 256,
        "num_experts_per_tok": 8,
        "linear_num_value_heads": 32,
        "max_position_embeddings": 262144,
        "layer_types": (["linear_attention"] * 3 + ["full_attention"]) * 10,
    },
    "vision_config": {"hidden_size": 1152, "num_heads": 16, "depth": 27},
}


def gpu_profile(folder: Path, **sections: Mapping[str, object]) -> RunConfig:
    """profiles/gpu_8.yaml as it would be resolved on its hardware, with values of the test's own over it."""
    (folder / "gpu.yaml").write_text("profile: gpu_8\n")
    own = {f"{section}.{key}": value for section, keys in sections.items() for key, value in keys.items()}
    return load(folder / "gpu.yaml", GPU_HOST, overrides=own, exists=lambda path: True)
