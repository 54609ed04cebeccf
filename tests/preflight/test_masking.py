"""Nothing secret is shown, of a variable or of a command line."""

from __future__ import annotations

import pytest

from liverl.preflight.masking import HIDDEN, shown, shown_command


@pytest.mark.parametrize(
    "name",
    ["WANDB_API_KEY", "HF_TOKEN", "aws_secret_access", "PGPASSWORD", "GOOGLE_CREDENTIALS", "HTTP_AUTH"],
)
def test_a_secret_variable_shows_no_value(name: str) -> None:
    assert shown(name, "very-secret") == HIDDEN


def test_a_password_in_an_address_is_left_out() -> None:
    assert shown("http_proxy", "http://me:pa55@proxy:3128/x") == f"http://{HIDDEN}@proxy:3128/x"


def test_a_long_value_is_shortened() -> None:
    assert len(shown("PATH", "/x" * 400)) < 130


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (["vllm", "--api-key", "sk-1", "--port", "8000"], f"vllm --api-key {HIDDEN} --port 8000"),
        (["vllm", "--api-key=sk-1", "m"], f"vllm --api-key={HIDDEN} m"),
        (["run", "--token", "--verbose"], "run --token --verbose"),
        (["env", "HF_TOKEN=hf_1", "x"], f"env HF_TOKEN={HIDDEN} x"),
        (["curl", "https://me:pw@host/"], f"curl https://{HIDDEN}@host/"),
        (
            ["curl", "-H", "Authorization: Bearer sk-abcdefgh", "h"],
            f"curl -H Authorization: Bearer {HIDDEN} h",
        ),
        (["mysql", "-u", "me", "-pX", "db"], f"mysql -u me -p{HIDDEN} db"),
        (["/usr/bin/mysqldump", "-pX"], f"/usr/bin/mysqldump -p{HIDDEN}"),
        (["tool", "--password", "two words", "x"], f"tool --password {HIDDEN} x"),
        (
            ["bash", "-c", "export HF_TOKEN=hf_1; vllm --api-key Xyz1"],
            f"bash -c export HF_TOKEN={HIDDEN}; vllm --api-key {HIDDEN}",
        ),
        (
            ["vllm", "--max-tokens=5", "--max-num-batched-tokens", "8192"],
            "vllm --max-tokens=5 --max-num-batched-tokens 8192",
        ),
        (["kill", "-p", "12"], "kill -p 12"),
        (["python", "-c", "a\n  b"], "python -c a b"),
    ],
)
def test_a_command_line_shows_no_secret_and_is_one_line(words: list[str], seen: str) -> None:
    assert shown_command(words) == seen


def test_a_secret_that_the_shortening_would_cut_in_two_is_hidden_first() -> None:
    seen = shown_command(["x" * 110, "sk-proj-abcdefghijklmnop"])
    assert "abc" not in seen and len(seen) <= 121


def test_a_variable_without_a_secret_name_still_shows_no_secret() -> None:
    assert shown("OPTIONS", "--api-key Xyz1 --port 1") == f"--api-key {HIDDEN} --port 1"
