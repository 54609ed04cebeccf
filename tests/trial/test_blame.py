"""The verdict on a trial, from what is known of its end."""

from __future__ import annotations

import pytest

from liverl.trial.blame import Ending, judge


def end(
    exception: str = "",
    stop: str = "done",
    reward: float | None = None,
    phase: str = "verifier",
    acted: bool = True,
    broken: bool = False,
) -> Ending:
    return Ending(exception, phase != "sandbox", phase == "verifier", stop, reward, acted, broken)


@pytest.mark.parametrize(
    ("ending", "outcome", "blame", "reward"),
    [
        (end(reward=1.0), "solved", "", 1.0),
        (end(reward=0.5), "unsolved", "", 0.5),
        (end(reward=0.0, stop="overlong"), "overlong", "", 0.0),
        (end(reward=1.0, stop="max_turns"), "max_turns", "", 1.0),
        (end("AgentTimeoutError", reward=1.0), "timeout", "agent", 1.0),
        (end("NonZeroAgentExitCodeError", reward=0.0), "agent_error", "agent", 0.0),
        (end("KeyError", phase="agent"), "agent_error", "agent", 0.0),
        (end("GatewayError", phase="agent"), "infrastructure", "gateway", None),
        (end("EngineError", phase="agent"), "infrastructure", "engine", None),
        (end("SandboxError", phase="agent"), "infrastructure", "sandbox", None),
        (end("OSError", phase="agent"), "infrastructure", "sandbox", None),
        (end("RuntimeError", phase="sandbox"), "infrastructure", "sandbox", None),
        (end("EnvironmentStartTimeoutError", phase="sandbox"), "infrastructure", "sandbox", None),
        (end("FileNotFoundError", phase="agent"), "infrastructure", "sandbox", None),
        (end("ConnectionResetError", phase="agent"), "infrastructure", "sandbox", None),
        (end("MemoryError", phase="agent"), "infrastructure", "sandbox", None),
        (end("RewardFileNotFoundError", acted=False), "infrastructure", "verifier", None),
        (end("VerifierTimeoutError", acted=False), "infrastructure", "verifier", None),
        (end("AgentTimeoutError", acted=False), "infrastructure", "verifier", None),
        (end(acted=False), "infrastructure", "verifier", None),
        (end("AddTestsDirError", acted=False), "infrastructure", "sandbox", None),
        (end("RewardFileNotFoundError"), "agent_error", "agent", 0.0),
        (end("RewardFileEmptyError"), "agent_error", "agent", 0.0),
        (end("VerifierTimeoutError"), "agent_error", "agent", 0.0),
        (end("AddTestsDirError"), "agent_error", "agent", 0.0),
        (end("DownloadVerifierDirError"), "agent_error", "agent", 0.0),
        (end("IsADirectoryError"), "agent_error", "agent", 0.0),
        (end(), "agent_error", "agent", 0.0),
        (end("AgentTimeoutError"), "timeout", "agent", 0.0),
        (end("SandboxError", broken=True), "infrastructure", "sandbox", None),
        (end("AddTestsDirError", broken=True), "infrastructure", "sandbox", None),
        (end("VerifierTimeoutError", broken=True), "infrastructure", "sandbox", None),
        (end("AgentTimeoutError", broken=True), "infrastructure", "sandbox", None),
        (end("OSError"), "infrastructure", "sandbox", None),
        (end("RuntimeError", reward=1.0), "solved", "", 1.0),
    ],
)
def test_the_verdict(ending: Ending, outcome: str, blame: str, reward: float | None) -> None:
    verdict = judge(ending)
    assert (verdict.outcome, verdict.blame, verdict.reward) == (outcome, blame, reward)
    assert (verdict.reward is None) == (verdict.outcome == "infrastructure")
