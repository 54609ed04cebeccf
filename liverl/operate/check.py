"""What would keep a run from working."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from liverl.config import ConfigProblems
from liverl.operate.profile import Profile
from liverl.preflight import Finding, config_findings, run_checks, worst_first

OnAnswer = Callable[[str, list[Finding]], None]


@dataclass(frozen=True)
class Checked:
    """All findings, worst first."""

    findings: tuple[Finding, ...]

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """Those because of which a run must not be started."""
        return tuple(finding for finding in self.findings if finding.blocks)

    @property
    def ok(self) -> bool:
        """Whether a run may be started."""
        return not self.blocking

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON."""
        return {
            "ok": self.ok,
            "findings": [finding.as_dict() for finding in self.findings],
            "next": self.next_action,
        }

    @property
    def next_action(self) -> str:
        """The first cure there is, else the run."""
        return next((finding.cure for finding in self.blocking if finding.cure), "liverl run")


def check(profile: Profile, on_answer: OnAnswer | None = None) -> Checked:
    """Ask every question of the preflight; nothing is started or changed."""
    findings = run_checks(
        profile.config,
        profile.facts,
        config_file=profile.path,
        origins=profile.origins,
        on_answer=on_answer,
    )
    return Checked(tuple(worst_first(findings)))


def problems(found: ConfigProblems) -> Checked:
    """A configuration that can't be loaded, as a check that found that."""
    return Checked(tuple(config_findings(found)))


def titles(findings: Sequence[Finding]) -> str:
    """Findings in one line."""
    return "; ".join(finding.title for finding in findings)
