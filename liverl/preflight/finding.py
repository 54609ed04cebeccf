"""What a question found: a stable id, how bad it is, what was seen, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from liverl.config import ConfigProblems
from liverl.errors import LiveRLError

Severity = Literal["fatal", "error", "warn", "info", "skipped"]
SEVERITIES: tuple[Severity, ...] = ("fatal", "error", "warn", "skipped", "info")


@dataclass(frozen=True)
class Finding:
    """One answer. `fatal` will not work, `error` gives a wrong or wasted result, `info` is fine as it is,
    `skipped` could not be measured; `id` is AREA:WHAT, stable and greppable."""

    id: str
    severity: Severity
    title: str
    evidence: str = ""
    cure: str = ""

    @property
    def blocks(self) -> bool:
        """Whether a run must not be started."""
        return self.severity in ("fatal", "error")

    def as_dict(self) -> dict[str, str]:
        """The finding as flat JSON; nothing empty in it."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def of_error(cls, error: LiveRLError, severity: Severity = "fatal") -> Finding:
        """An error as a finding: `area.what` becomes `area:what`."""
        return cls(
            error.code.replace(".", ":", 1), severity, error.message, error.evidence, error.next_action
        )


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """The findings by severity, and in their own order where that is equal."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def config_findings(problems: ConfigProblems) -> list[Finding]:
    """The problems of a configuration that could not be loaded, as findings."""
    return [
        Finding("config:invalid", "fatal", f"{each.key}: {each.reason}", each.place, each.cure)
        for each in problems.problems
    ]
