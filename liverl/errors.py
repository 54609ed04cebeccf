"""The vocabulary of failure: every error names its cause, its evidence and the next action.

LiveRLError
├── ConfigError      a value of config.yaml or a profile (also a ValueError)
├── PolicyError      a model folder or the making of one
├── TaskError        a task folder that can't be run or graded
├── SandboxError     the place where a trial runs
├── GatewayError     the model endpoint, its sessions, LiteLLM in front
├── VerifierError    the grading of a trial
├── EngineError      verl, Ray, the replica
└── RunError         a run directory, its processes, its supervisor
"""

from __future__ import annotations


class LiveRLError(Exception):
    """A failure that a person or an agent can act on.

    `code` is stable and greppable (`sandbox.bwrap_missing`), `message` one sentence, `evidence` what was seen,
    `next_action` the exact cure.
    """

    def __init__(self, code: str, message: str, *, evidence: str = "", next_action: str = "") -> None:
        super().__init__(code, message, evidence, next_action)
        self.code = code
        self.message = message
        self.evidence = evidence
        self.next_action = next_action

    def __str__(self) -> str:
        parts = [f"[{self.code}] {self.message}"]
        if self.evidence:
            parts.append(f"  seen: {self.evidence}")
        if self.next_action:
            parts.append(f"  next: {self.next_action}")
        return "\n".join(parts)

    def as_dict(self) -> dict[str, str]:
        """The error as flat JSON, for `--json` and for tools."""
        return {
            "code": self.code,
            "message": self.message,
            "evidence": self.evidence,
            "next_action": self.next_action,
        }

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (_rebuild, (type(self), self.code, self.message, self.evidence, self.next_action))


def _rebuild(
    kind: type[LiveRLError], code: str, message: str, evidence: str, next_action: str
) -> LiveRLError:
    return kind(code, message, evidence=evidence, next_action=next_action)


class ConfigError(LiveRLError, ValueError):
    """A value of config.yaml or of a profile."""


class PolicyError(LiveRLError):
    """A model folder that can't be used, or the making of one."""


class TaskError(LiveRLError):
    """A task folder that can't be run or graded."""


class SandboxError(LiveRLError):
    """The place where a trial runs."""


class GatewayError(LiveRLError):
    """The model endpoint, its sessions, or LiteLLM in front of it."""


class VerifierError(LiveRLError):
    """The grading of a trial."""


class EngineError(LiveRLError):
    """verl, Ray or the replica."""


class RunError(LiveRLError):
    """A run directory, its processes or its supervisor."""
