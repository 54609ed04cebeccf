"""One thing that has happened to a watched run, as a line for a person and as an object for a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from liverl.operate.answer import without_nulls
from liverl.record.clock import utc_now

if TYPE_CHECKING:
    from liverl.operate.diagnosed import Diagnosed
    from liverl.operate.findings_seen import Seen
    from liverl.operate.standing import Status


@dataclass(frozen=True)
class News:
    """`change` is state, verdict (of a file), guard, unreadable, or what became of a finding: appeared, worsened,
    cleared; `when` is UTC."""

    run: str
    change: str
    text: str
    when: str
    status: Status | None = None
    seen: Seen | None = None

    @property
    def line(self) -> str:
        """The run and what has happened to it."""
        return f"{self.run} {self.text}"

    def as_dict(self) -> dict[str, Any]:
        """As plain JSON: of a finding its id, severity, title and beginning, of a state the state and the step."""
        told: dict[str, Any] = {"run": self.run, "when": self.when, "change": self.change}
        if self.status is not None:
            told |= {
                "state": self.status.state,
                "step": self.status.step,
                "steps_total": self.status.steps_total,
            }
        if self.seen is not None:
            found = self.seen.finding
            told |= {
                "id": found.id,
                "severity": found.severity,
                "title": found.title,
                "began": found.began.as_dict(),
            }
            told |= {"cleared": found.cleared, "follow": self.seen.follow or None}
            told["writeup"] = f"troubleshooting/{found.writeup}"
        return without_nulls({**told, "text": self.text})


def of_state(now: Status, text: str) -> News:
    """A change of a run's state, or what it has done."""
    return News(now.name, "state", text, utc_now(), status=now)


def of_finding(run: str, seen: Seen) -> News:
    """A change among its findings."""
    return News(run, seen.change, seen.text, utc_now(), seen=seen)


def of_verdict(file: str, found: Diagnosed) -> News:
    """What a diagnosis of a file says as a whole."""
    return News(file, "verdict", f"is {found.summary}", utc_now())


def of_trouble(run: str, text: str, change: str = "unreadable") -> News:
    """What kept a watcher from looking, or what its guard did."""
    return News(run, change, text, utc_now())
