"""Real trials of Claude Code against a CPU policy: `liverl trial`, through LiteLLM by Anthropic's protocol.

The first is with a policy that has never seen Claude Code's prompt and answers nonsense. The prompt that it recorded
is what a second policy is taught to answer, and that one solves the task.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from liverl.errors import SandboxError
from liverl.record.layout import RunDir
from liverl.record.trajectory import Trajectory, read_trajectory
from liverl.record.trials import TrialRow, read_trials
from liverl.scaffold.claude_code import find_binary
from tests.e2e.painting import teach
from tests.e2e.site import REPOSITORY, make_site

pytestmark = [pytest.mark.claude, pytest.mark.slow]

INSTALLED = REPOSITORY / ".cache" / "claude" / "node_modules" / ".bin" / "claude"
CALL = '<tool_call>\n{"name": "Bash", "arguments": {"command": "echo red > colour.txt"}}\n</tool_call>'
SAID = "The colour is written."
OUTPUTS = ("", "(no output)", "(Bash completed with no output)", "done")


@dataclass(frozen=True)
class Tried:
    """A trial as `liverl trial` left it: the policy, its row and tokens, and Claude Code's own log."""

    policy: Path
    row: TrialRow
    trajectory: Trajectory
    events: list[dict[str, Any]]


@pytest.fixture(scope="module")
def binary() -> Path:
    """LIVERL_CLAUDE_BINARY, else `claude` on PATH, else what scripts/setup_claude.sh installed."""
    named = os.environ.get("LIVERL_CLAUDE_BINARY") or shutil.which("claude") or str(INSTALLED)
    try:
        return find_binary(named)
    except SandboxError as error:
        pytest.skip(f"{error.message} ({error.evidence}) Install it with: bash scripts/setup_claude.sh")


def attempt(root: Path, policy: Path, binary: Path) -> Tried:
    """One trial. The prompt is kept small: one tool, a short system prompt."""
    options = {
        "binary": str(binary),
        "bare": True,
        "tools": "Bash",
        "system_prompt": "You fix programs in /app with the bash tool.",
    }
    settings = {
        "rollout": {"max_prompt_length": 14000, "max_response_length": 2048},
        "scaffold": {"name": "claude-code", "max_turns": 4, "options": options},
        "sandbox": {"memory_mb": 2048, "processes": 256},
        "trial": {"agent_timeout_s": 300, "retries": 0},
    }
    site = make_site(root, policy, settings)
    done = site.liverl("trial", "paint-door", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunDir(Path(json.loads(done.stdout)["run_dir"]))
    (row,) = read_trials(run)
    (log,) = (run.root / row.path).rglob("claude-code.jsonl")
    events = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return Tried(policy, row, read_trajectory(run.root / row.path), events)


@pytest.fixture(scope="module")
def untaught(tmp_path_factory: pytest.TempPathFactory, painter: Path, binary: Path) -> Tried:
    return attempt(tmp_path_factory.mktemp("untaught"), painter, binary)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, untaught: Tried, binary: Path) -> Tried:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(untaught.policy)
    prompt = tokenizer.decode(untaught.trajectory.segments[0].prompt_ids)
    texts = [_conversation(prompt, output) for _ in range(160) for output in OUTPUTS]
    policy = teach(tmp_path_factory.mktemp("taught") / "policy", texts, seed=1)
    return attempt(policy.parent / "site", policy, binary)


def _conversation(prompt: str, output: str) -> str:
    answer = f"<|im_start|>user\n<tool_response>\n{output}\n</tool_response><|im_end|>\n"
    return f"{prompt}{CALL}<|im_end|>\n{answer}<|im_start|>assistant\n{SAID}<|im_end|>\n"


def assert_exact(tried: Tried) -> None:
    """Every sampled token is there once, with the probability that a forward pass gives it."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(tried.policy, dtype=torch.float32).eval()
    segments = tried.trajectory.segments
    assert sum(segment.sampled for segment in segments) == tried.row.completion_tokens > 0
    for segment in segments:
        ids_T = torch.tensor([*segment.prompt_ids, *segment.response_ids])
        with torch.inference_mode():
            logprobs_TV = torch.log_softmax(model(ids_T[None]).logits[0].float(), -1)
        places_R = torch.arange(len(segment.response_ids)) + len(segment.prompt_ids) - 1
        forward_R = logprobs_TV[places_R, torch.tensor(segment.response_ids)]
        sampled_R = torch.tensor(segment.response_mask, dtype=torch.bool)
        gaps = (forward_R - torch.tensor(segment.response_logprobs))[sampled_R].abs()
        assert gaps.max() < 1e-3
        assert gaps.mean() < 1e-5


def test_a_policy_that_answers_nonsense_is_scored_and_to_blame_for_nothing_else(untaught: Tried) -> None:
    row = untaught.row
    print(f"{row.outcome}, {row.turns} calls, {row.prompt_tokens} prompt tokens, {row.seconds}")
    assert (row.blame, row.error) == ("", "")
    assert row.reward == 0.0
    assert row.outcome in ("unsolved", "max_turns", "overlong")


def test_the_tokens_of_nonsense_are_exact_too(untaught: Tried) -> None:
    assert_exact(untaught)


def test_claude_code_solves_the_task_with_the_policys_commands(taught: Tried) -> None:
    row = taught.row
    print(f"{row.outcome}, {row.turns} calls, {row.prompt_tokens} prompt tokens, {row.seconds}")
    assert (row.outcome, row.reward, row.blame) == ("solved", 1.0, "")
    heard = [event["message"] for event in taught.events if event.get("type") == "assistant"]
    blocks = [block for message in heard for block in message["content"]]
    # Anthropic's content blocks, made by LiteLLM of what the policy sampled.
    assert [(block["type"], block["input"]["command"]) for block in blocks if "input" in block] == [
        ("tool_use", "echo red > colour.txt")
    ]
    assert [block["text"] for block in blocks if block["type"] == "text"] == [SAID]


def test_its_two_calls_are_one_exact_segment(taught: Tried) -> None:
    assert [call["parent"] for call in taught.trajectory.calls] == [None, 0]
    assert len(taught.trajectory.segments) == 1
    assert_exact(taught)
