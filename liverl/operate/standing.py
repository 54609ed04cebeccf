"""A run at one moment, as an answer of at most 250 tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from liverl.operate.answer import cut, without_nulls
from liverl.operate.booting import BootStage
from liverl.operate.health import Health, Trend
from liverl.operate.validation import Validation

LIVE_STATES = ("starting", "training", "validating", "stalled", "stopping")
TOKENS = 250
BYTES_A_TOKEN = 3.5
# What texts are cut to, ever shorter until the answer fits; then what can be missed goes, in this order.
_TEXT_CHARS = (160, 110, 70, 45, 30)
# A reason says first which process ended, and then of what: both have to be seen.
_REASON_CHARS = 90
_MISSED_FIRST = (
    "run_dir",
    "last_write",
    "trials",
    "health",
    "evidence",
    "trend",
    "boot",
    "validation",
    "log",
)


@dataclass(frozen=True)
class LastWrite:
    """The file of a run that was written last, by its path in the run directory, and how long ago."""

    age_s: float
    file: str


@dataclass(frozen=True)
class Status:
    """A run at one moment.

    `state`: starting, training, validating, stalled, stopping, finished, stopped, failed, dead or unreachable.
    `phase` is what a live one is at: booting, validating, training or finishing; `trials_done` of `trials_total` count
    that. `reward` is the mean of the last step's trials, `rewards` those of the newest steps; `rate_s` are seconds a
    step, `eta_s` what is left. `reason` and `evidence` say why it is stalled or has ended; `next_action` is a command;
    `artifacts` are (what, where) of what it has made. What is not known is None.
    """

    name: str
    state: str
    reason: str
    run_dir: str
    attempt: int
    phase: str
    step: int
    steps_total: int
    reward: float | None
    validation: Validation
    trials_done: int
    trials_total: int
    eta_s: float | None
    started: str
    last_event: dict[str, Any] | None
    evidence: tuple[str, ...]
    next_action: str
    log: str
    rewards: tuple[tuple[int, float], ...] = ()
    artifacts: tuple[tuple[str, str], ...] = ()
    rate_s: float | None = None
    trend: Trend | None = None
    health: Health = field(default_factory=Health)
    last_write: LastWrite | None = None
    boot: BootStage | None = None
    checkpoint: int | None = None
    findings: str = ""

    @property
    def is_live(self) -> bool:
        """Whether its processes are at work."""
        return self.state in LIVE_STATES

    @property
    def ok(self) -> bool:
        """Whether nothing keeps it from going on, or it has reached its end."""
        return self.state not in ("failed", "dead", "stalled")

    @property
    def summary(self) -> str:
        """State, step, reward and time left, or why it is not going on."""
        step = f"step {self.step} of {self.steps_total}" if self.steps_total else f"step {self.step}"
        said = [f"{cut(self.name, 60)} is {self.state}", step]
        if self.state in ("training", "validating") and self.reward is not None:
            said.append(f"reward {self.reward:.2f}")
        if self.state == "starting" and self.boot is not None:
            said.append(self.boot.line)
        if self.state not in ("training", "validating", "starting", "finished") and self.reason:
            said.append(cut(self.reason, 90))
        return ", ".join(said)

    def payload(self) -> dict[str, Any]:
        """What stands above as plain JSON; with the answer's head it stays within its size whatever the run holds."""
        head = {"ok": self.ok, "summary": self.summary, "next": self.next_action}
        room = int(TOKENS * BYTES_A_TOKEN) - _bytes(head)
        for chars in _TEXT_CHARS:
            row = without_nulls(self._row(chars))
            if _bytes(row) <= room:
                return row
        for key in _MISSED_FIRST:
            row.pop(key, None)
            if _bytes(row) <= room:
                break
        return row

    def _row(self, chars: int) -> dict[str, Any]:
        told = chars if chars == _TEXT_CHARS[-1] else max(_REASON_CHARS, chars)
        return {
            "run": cut(self.name, max(40, chars)),
            "state": self.state,
            "reason": "" if self.state == "finished" else cut(self.reason, told),
            "attempt": self.attempt,
            "step": self.step,
            "steps_total": self.steps_total,
            "step_s": _rounded(self.rate_s, 1),
            "left_s": _rounded(self.eta_s, 0),
            "reward": _rounded(self.reward, 4),
            "trend": trend_text(self.trend),
            "validation": _validation(self.validation),
            "trials": f"{self.trials_done} of {self.trials_total}"
            if self.is_live and self.trials_total
            else "",
            "health": self.health.line if self.health.steps else "",
            "last_write": self._last_write(),
            "findings": cut(self.findings, told) or "not looked for: liverl diagnose",
            "boot": self.boot.line if self.boot is not None and self.is_live else "",
            "evidence": [cut(line, chars) for line in self._evidence(chars)] or None,
            "log": self.log.removeprefix(f"{self.run_dir}/"),
            "run_dir": self.run_dir,
        }

    def _evidence(self, chars: int) -> tuple[str, ...]:
        """The lines of the end; where there is little room the last one, which says what happened."""
        return tuple(self.evidence) if chars > _REASON_CHARS else tuple(self.evidence[-1:])

    def _last_write(self) -> str:
        return "" if self.last_write is None else f"{self.last_write.age_s:.0f} s ago, {self.last_write.file}"


def trend_text(trend: Trend | None) -> str:
    """A reward's trend in words; "" before there are steps enough."""
    if trend is None:
        return ""
    return f"{'flat' if trend.is_flat else f'{trend.change:+.2f}'} over {trend.steps} steps"


def _validation(found: Validation) -> dict[str, Any]:
    return {
        "first": _rounded(found.first, 4),
        "first_step": found.first_step,
        "last": _rounded(found.last, 4),
        "last_step": found.last_step,
        "best": _rounded(found.best, 4),
        "best_step": found.best_step,
        "trials": found.trials or None,
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits or None)


def _bytes(row: dict[str, Any]) -> int:
    return len(json.dumps(row, ensure_ascii=False).encode(errors="surrogatepass"))
