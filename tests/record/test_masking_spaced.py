"""A secret behind its name is not shown where no sign stands between them, and metrics and prose stay as they are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liverl.record.masking import HIDDEN, mask

WANDB = "0123456789abcdef0123456789abcdef0123q7e7"


@pytest.mark.parametrize(
    "text",
    [
        f"WANDB_API_KEY:      {WANDB}",
        "bearer=q7btoken22abcdef",
        "Using API key q7plain25keyval",
        "login failed for key=0123456789abcdef0123456789abcdef01234567",
        '{"username":"bob","key":"0123456789abcdef0123456789abcdef"}',
        "api_key:\n  value: q7nestedkey12",
        f"      WANDB_API_KEY:            {WANDB}",
        f"HF_TOKEN         = {WANDB}",
        f"WANDB_API_KEY {WANDB}",
        f"WANDB_API_KEY\t{WANDB}",
        f"| WANDB_API_KEY | {WANDB} |",
        f"│ WANDB_API_KEY │ {WANDB} │",
        f"wandb_key ....................................... {WANDB}",
        f"wandb.api_key                 {WANDB}",
        f"docker run --env WANDB_API_KEY {WANDB}",
        f"wandb login --host=https://w.example.com {WANDB}",
        f"wandb key {WANDB}",
        "E2B_API_KEY e2b_q7q7q7q7q7q7q7q7q7q7",
        "E2B_API_KEY     e2bkeyq7q7",
        "HF_TOKEN hf_q7q7q7q7q7q7q7q7q7q7q7",
        "LITELLM_MASTER_KEY sk-q7ab",
        "MODAL_TOKEN_SECRET as-QWERTYq7ty",
        "ENV GITHUB_TOKEN q7abcdef0123",
        "setenv OPENAI_API_KEY q7abcdef0123456",
        "aws_secret_access_key      wJalrXUtnFEMIq7/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AWS_SESSION_TOKEN      FwoGZXIvYXdzEq7//////////wEaDJ",
        "PRIVATE-TOKEN q7abcdef0123a4",
        "DB_PASSWORD     hunterq7",
        "DB_PASSWORD\tq7abc",
        "password hunter2q7",
        "  login me\n  password hunterq7",
        "passphrase is swordq7fish99",
        "passphrase is q7qqq",
        "The password was set to q7hunter.",
        "HF_TOKEN is set to abcq7def",
        "Setting HF_TOKEN to abcq7def0123",
        "api_key is abcq7def0123",
        "API Key is abcq7def0123",
        "api_key invalid: abcq7def01234",
        "got token q7ab12cd34ef56gh78",
        "your secret key q7ab12cd34ef56gh78",
        "Authorization   Basic dXNlcjpwq7YXNz",
        '{"name": "HF_TOKEN", "value": "abcq7def"}',
        "- name: HF_TOKEN\n  value: abcq7def",
        "api_keys: ['abcq7abc', 'q7']",
        "API_KEYS=abcq71,defq72",
        "credentials: me:hunterq7",
        "<api_key>q7abcdef01</api_key>",
        "<password>q7abc</password>",
        "docker -l debug login -u me -p q7pass",
        "podman login -u me -p q7pass",
        "Password for admin: hunterq7",
    ],
)
def test_a_secret_behind_its_name_is_not_shown_however_they_are_kept_apart(text: str) -> None:
    seen = mask(text)
    assert "q7" not in seen and HIDDEN in seen
    assert mask(seen) == seen


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 4096, num_tokens 1234",
        "num_tokens     1234",
        "tokenizer      Qwen/Qwen2.5-7B-Instruct",
        "tokenizer: Qwen",
        "token ids 151643, token id 151643",
        "eos_token_id   151645",
        "eos_token_id .................................. 151645",
        "eos_token      <|im_end|>",
        "eos_token is abc12345, special token <|im_start|> abc1",
        "pad_token  [PAD]",
        "key              value1234",
        "prompt_key      prompt, reward_fn_key   data_source",
        "cache_key 0123456789abcdef0123456789abcdef01234567",
        "prefix_key     e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "wandb run 3x8q7kz1, run key 3x8q7kz1, View run at https://wandb.ai/org/proj/runs/3x8q7kz1",
        "the password is required; password is incorrect; passphrase is not set; password is disabled",
        "the secret is mounted at /run/secrets/hf",
        "token is invalid, token is expired at 2026-01-01T00:00:00",
        "WANDB_API_KEY is missing, HF_TOKEN environment variable is set",
        "WANDB_API_KEY:   <set to the key 'api_key' in secret 'wandb'>  Optional: false",
        "HF_TOKEN        None",
        "HF_TOKEN     present",
        "DB_PASSWORD     required",
        "HF_TOKEN  ${HF_TOKEN}, needed: HF_TOKEN E2B_API_KEY",
        "#token: 1234, token usage: 0.12, gen throughput (token/s): 1234.5",
        "time_per_token 0.012s, ms/token 12.3ms",
        "max_token_len_per_gpu      16384",
        "key 'actor/entropy' missing, num_key_value_heads  8",
        'Missing key(s) in state_dict: "model.layers.0.self_attn.q_proj.weight"',
        "moe_token_dispatcher_type ...................... alltoall2",
        "action_token  act_12, draft token step_12345",
        "private key /root/.ssh/id_ed25519, token_file: /run/secrets/token1",
        "HF_TOKEN_PATH     /root/.cache/huggingface/token",
        "Your token has been saved to /root/.cache/huggingface/token",
        "api_key env OPENAI_API_KEY1",
        "passwordless ssh to node01",
        "secrets: 3, api_keys: 2, password for the registry: none",
        "| key | value1 |",
    ],
)
def test_metrics_and_prose_beside_such_names_are_not_touched(text: str) -> None:
    assert mask(text) == text


@given(st.text("key token=:.|'\" password is API_KEY\t\n-_0a9", max_size=120))
def test_masking_such_a_text_again_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@pytest.mark.parametrize(
    "part",
    ["HF_TOKEN ", "api_keys:", "key" + " " * 300, "token" + "." * 300, "password is set to ", "secret value",
     "<token>", "docker login ", "wandb login ", "credentials: a:", "authorization  "],
)  # fmt: skip
def test_a_long_line_takes_no_more_than_its_length(part: str) -> None:
    took = []
    for size in (1 << 13, 1 << 17):
        text = part * (size // len(part))
        start = time.process_time()
        mask(text)
        took.append(time.process_time() - start)
    assert took[1] < 64 * (took[0] + 0.05)  # sixteen times as long; what is quadratic takes 256 times as long
