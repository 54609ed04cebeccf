"""A small whole model, and the probes as processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from transformers import LlamaConfig, LlamaForCausalLM

from liverl.config import PROFILES, Facts, render_resolved, resolve
from tests.gateway.chat_model import small_tokenizer

ROOT = PROFILES.parent
LAPTOP, GPU_HOST = Facts(0, 2, 24.0), Facts(8, 96, 1500.0)


def resolved(facts: Facts, **overrides: object) -> str:
    """The shipped configuration as a resolved.yaml; `__` stands for the dot of a key."""
    given = {key.replace("__", "."): value for key, value in overrides.items()}
    found = resolve(ROOT / "config.yaml", facts, overrides=given, exists=lambda path: True)
    return render_resolved(found.config, found.origins)


def start(name: str, config: str, cache: Path, *arguments: str) -> subprocess.Popen[str]:
    """A probe as a process of its own, whose user's cache is `cache`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "liverl.probe", name, "--json", "--config", "-", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"XDG_CACHE_HOME": str(cache), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(cache)},
        cwd=ROOT,
    )
    assert process.stdin is not None
    process.stdin.write(config)
    process.stdin.close()
    process.stdin = None
    return process


def answer(process: subprocess.Popen[str], timeout_s: float = 180) -> dict[str, Any]:
    """The JSON object that a probe prints."""
    out, _ = process.communicate(timeout=timeout_s)
    told: dict[str, Any] = json.loads(out)
    return told


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained model of a few thousand parameters with a tokenizer, a template with tools, and weights."""
    folder = tmp_path_factory.mktemp("model") / "small"
    tokenizer = small_tokenizer()
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    return folder
