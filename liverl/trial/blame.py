"""How a trial ended, and whose fault it is when it did not end by the agent's own doing.

Only what the agent did may enter the loss: a failure of the sandbox, the gateway, the engine or the verifier
says nothing about the policy. But the verifier runs what the agent wrote: where the agent acted, the sandbox held
and no reward came, the agent is to blame, because the task was seen to grade its own solution before the run. The
phases and exceptions are those of Harbor's trial.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass

INFRASTRUCTURE = "infrastructure"
_STOPS = {"overlong": "overlong", "max_turns": "max_turns"}
_SANDBOX_ERRORS = {
    "SandboxError",
    "EnvironmentStartTimeoutError",
    "AgentSetupTimeoutError",
    "AddTestsDirError",
    "DownloadVerifierDirError",
    "HealthcheckError",
}
# A reward that is a folder: made in the sandbox, met when Harbor reads it.
_MADE_INSIDE = "IsADirectoryError"


@dataclass(frozen=True)
class Ending:
    """What is known of a finished trial.

    `exception` is the type name of the first failure ("" for none), `agent_started` whether the agent's phase
    began, `verifier_started` whether grading did, `stop` what the scaffold said, `reward` what the verifier
    gave. `acted` says that the agent ran something in the sandbox, `sandbox_broken` that the sandbox failed by
    nothing that was done in it.
    """

    exception: str
    agent_started: bool
    verifier_started: bool
    stop: str
    reward: float | None
    acted: bool = False
    sandbox_broken: bool = False


@dataclass(frozen=True)
class Verdict:
    """`outcome` and `blame` in the words of `trials.jsonl`; `reward` is None exactly for infrastructure."""

    outcome: str
    blame: str
    reward: float | None


def judge(ending: Ending) -> Verdict:
    """The verdict on a trial."""
    blame = _infrastructure(ending)
    if blame:
        return Verdict(INFRASTRUCTURE, blame, None)
    reward = ending.reward or 0.0
    if ending.exception == "AgentTimeoutError":
        return Verdict("timeout", "agent", reward)
    if ending.reward is None:
        return Verdict("agent_error", "agent", 0.0)
    if ending.exception == "NonZeroAgentExitCodeError":
        return Verdict("agent_error", "agent", reward)
    if ending.stop in _STOPS:
        return Verdict(_STOPS[ending.stop], "", reward)
    return Verdict("solved" if reward >= 1.0 else "unsolved", "", reward)


def _infrastructure(ending: Ending) -> str:
    """Who broke the trial other than the agent; "" when nobody did."""
    if ending.exception == "GatewayError":
        return "gateway"
    if ending.exception == "EngineError":
        return "engine"
    if ending.reward is not None:
        return ""
    if not ending.agent_started or ending.sandbox_broken:
        return "sandbox"
    if ending.verifier_started and ending.acted:
        return "sandbox" if _of_the_host(ending.exception) and ending.exception != _MADE_INSIDE else ""
    if ending.exception in _SANDBOX_ERRORS or _of_the_host(ending.exception):
        return "sandbox"
    return "verifier" if ending.verifier_started else ""


def _of_the_host(exception: str) -> bool:
    """Whether it is about the host's disk, files, sockets or memory: what is done inside raises none of them."""
    kind = getattr(builtins, exception, None)
    return isinstance(kind, type) and issubclass(kind, (OSError, MemoryError))
