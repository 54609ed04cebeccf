"""A small random model, made once, for the engine's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def model() -> Any:
    """A random two-layer Qwen3 in fp32."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        initializer_range=0.3,
        eos_token_id=3,
        pad_token_id=0,
    )
    return Qwen3ForCausalLM(config).float().eval()


@pytest.fixture(scope="session")
def model_folder(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as a folder."""
    folder = tmp_path_factory.mktemp("model")
    model.save_pretrained(folder)
    return folder
