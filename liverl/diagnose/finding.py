"""What a diagnosis says: findings, the primary one first, and one of three verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from liverl.diagnose.writeup import SEVERITIES, Confidence, Severity

Verdict = Literal["sick", "healthy", "not_measured"]


@dataclass(frozen=True)
class Began:
    """When a failure began, as far as it is known: step, line of the log, UTC time."""

    step: int | None = None
    line: int | None = None
    time: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What is known."""
        return {name: value for name, value in vars(self).items() if value not in (None, "", 0)}

    def __str__(self) -> str:
        known = [
            f"step {self.step}" if self.step is not None else "",
            f"line {self.line}" if self.line else "",
        ]
        return ", ".join(part for part in known if part)


@dataclass(frozen=True)
class Finding:
    """A failure that a run shows. `evidence` are lines with their numbers and values against the run's own baseline;
    `cleared` is the step from which on it no longer held; `secondary_to` is the id of the finding it follows from,
    `follows` are ids (with `*`) that it may follow from; it is told up to `window` steps after its onset, here at the
    step `told`; `is_logged` says that a line shows it, not a metric; `is_end` that the run ended with that line."""

    id: str
    severity: Severity
    title: str
    confidence: Confidence
    began: Began
    evidence: tuple[str, ...]
    cure: str
    writeup: str
    secondary_to: str = ""
    cleared: int | None = None
    confirm: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    is_generic: bool = False
    follows: tuple[str, ...] = ()
    window: int = 1
    told: int | None = None
    is_logged: bool = False
    is_end: bool = False

    @property
    def is_alarm(self) -> bool:
        """Whether it is warn or worse."""
        return self.severity != "info"

    @property
    def is_measured(self) -> bool:
        """Whether a metric shows it."""
        return not self.is_logged and self.began.step is not None

    @property
    def earliest(self) -> float:
        """The first step at which it may have begun: what its window needs and is not known to have passed until it
        was told lies before the step at which it is seen to begin; minus infinity where no step is known."""
        if self.began.step is None:
            return float("-inf")
        known = 0 if self.told is None else self.told - self.began.step
        return self.began.step - max(0, self.window - known)

    @property
    def rank(self) -> int:
        """0 is the worst severity."""
        return SEVERITIES.index(self.severity)

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON; nothing empty in it."""
        told = {
            "id": self.id,
            "severity": self.severity,
            "title": self.title,
            "confidence": self.confidence,
            "began": self.began.as_dict(),
            "cleared": self.cleared,
            "evidence": list(self.evidence),
            "secondary_to": self.secondary_to,
            "cure": self.cure,
            "changes": dict(self.changes),
            "confirm": self.confirm,
            "writeup": f"troubleshooting/{self.writeup}",
        }
        return {name: value for name, value in told.items() if value not in (None, "", [], {})}


@dataclass(frozen=True)
class Missing:
    """A metric that nobody measured, the setting that would measure it, and how many failures it would tell."""

    metric: str
    setting: str
    failures: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        told = {"metric": self.metric, "setting": self.setting, "failures": list(self.failures)}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True)
class Diagnosis:
    """Findings with the primary one first, each followed by those that come from it; why, where not judged."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    not_measured: tuple[Missing, ...] = ()
    why: str = ""

    @property
    def primary(self) -> Finding | None:
        """The cause to begin with: the first finding at warn or above."""
        return next((each for each in self.findings if each.is_alarm), None)
