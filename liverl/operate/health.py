"""What the last steps say of a run's health: reward and its trend, rate, lost and cut-off trials, staleness, time.

Everything is a function of rows of metrics.jsonl, oldest first; what they don't tell is None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median, variance

from liverl.log.rows import Row, number, whole
from liverl.record.clock import to_seconds

# Steps that the health, the rate and each window of the trend are taken over.
WINDOW = 10
# A run is said to stall after so many of its own usual steps without a byte written, as in
# troubleshooting/run/stalled.md; nothing shorter than two heartbeats is told from a busy machine.
_STALL_STEPS = 5.0
_STALL_FLOOR_S = 10.0
_CUT_OFF = ("overlong", "max_turns", "timeout")
_UPDATES = ("old_log_prob", "ref", "values", "update_critic", "update_actor", "update_weights")
_LONG = ("testing", "save_checkpoint")
_STALENESS = "training/off_policy/trajectory_staleness/mean"


@dataclass(frozen=True)
class Trend:
    """How much the reward's mean changed from one window of `steps` steps to the next; 0.0 when it is flat.

    Flat is what lies within two standard errors of the difference of the two means (Welch): noise of the steps.
    """

    change: float
    steps: int

    @property
    def is_flat(self) -> bool:
        """Whether nothing but noise is seen."""
        return self.change == 0.0


@dataclass(frozen=True)
class Health:
    """Shares of the trials and of the steps' time, 0 to 1, over `steps` steps; None where it was not measured.

    `lost` failed for a reason that is not the agent's, `cut_off` were truncated or ended by a limit, `staleness` is
    in weight versions behind, `generation` and `update` are of the step's wall time.
    """

    steps: int = 0
    lost: float | None = None
    cut_off: float | None = None
    staleness: float | None = None
    generation: float | None = None
    update: float | None = None

    @property
    def line(self) -> str:
        """All in one line, what was not measured named at its end."""
        said = [
            _share("lost", self.lost),
            _share("cut off", self.cut_off),
            "" if self.staleness is None else f"staleness {self.staleness:.2g}",
            self._times(),
        ]
        names = ("lost trials", "cut-off trials", "staleness", "time split")
        missing = [name for name, text in zip(names, said, strict=True) if not text]
        return ", ".join([*filter(None, said), *([f"not measured: {', '.join(missing)}"] if missing else [])])

    def _times(self) -> str:
        if self.generation is None or self.update is None:
            return ""
        generation, update = round(100 * self.generation), round(100 * self.update)
        return f"gen {generation}% update {update}% other {max(0, 100 - generation - update)}%"


def reward_of(row: Row) -> float | None:
    """The mean reward of a step's trials, else verl's mean score."""
    ours = number(row, "trial/reward/mean")
    return number(row, "critic/score/mean") if ours is None else ours


def trend_of(rewards: Sequence[float]) -> Trend | None:
    """The trend of the newest rewards, oldest first; None with fewer than two windows of two steps."""
    steps = min(WINDOW, len(rewards) // 2)
    if steps < 2:
        return None
    before, last = rewards[-2 * steps : -steps], rewards[-steps:]
    change = fmean(last) - fmean(before)
    error = sqrt((variance(before) + variance(last)) / steps)
    return Trend(0.0 if abs(change) <= 2 * error else change, steps)


def health_of(rows: Sequence[Row]) -> Health:
    """The health over the newest steps of some rows."""
    rows = rows[-WINDOW:]
    trials = [(row, count) for row in rows if (count := number(row, "trial/count") or 0.0) > 0]
    count = sum(each for _, each in trials)
    stale = [value for row in rows if (value := number(row, _STALENESS)) is not None]
    timed = [(row, took) for row in rows if (took := number(row, "timing_s/step") or 0.0) > 0]
    took_s = sum(each for _, each in timed)
    # A step without generation is a validation before training.
    has_times = any(number(row, "timing_s/gen") is not None for row, _ in timed)

    def outcomes(*names: str) -> float | None:
        found = sum(number(row, f"trial/outcome/{name}") or 0.0 for row, _ in trials for name in names)
        return found / count if count else None

    def seconds(*names: str) -> float | None:
        found = sum(number(row, f"timing_s/{name}") or 0.0 for row, _ in timed for name in names)
        return found / took_s if has_times else None

    return Health(
        steps=len(rows),
        lost=outcomes("infrastructure"),
        cut_off=outcomes(*_CUT_OFF),
        staleness=fmean(stale) if stale else None,
        generation=seconds("gen"),
        update=seconds(*_UPDATES),
    )


def rate_s(rows: Sequence[Row]) -> float | None:
    """Seconds a step by the newest steps of one attempt, validations and checkpoints among them included."""
    steps = ((whole(row, "step"), time_of(row)) for row in rows[-WINDOW:])
    recent = [(step, at) for step, at in steps if step is not None and at > 0]
    if len(recent) < 2 or recent[-1][0] <= recent[0][0]:
        return None
    (first, began), (last, ended) = recent[0], recent[-1]
    return max(0.0, (ended - began) / (last - first))


def stall_limit_s(rows: Sequence[Row]) -> float | None:
    """How long nothing may be written by a run with these steps of one attempt; None before its first step.

    Five times its usual step, which is the median of its plain steps, of those that validate or of those that save a
    checkpoint, whichever is longest.
    """
    by_kind: dict[str, list[float]] = defaultdict(list)
    for before, row in zip((None, *rows), rows, strict=False):
        if (took_s := _took_s(before, row)) > 0:
            for kind in [name for name in _LONG if number(row, f"timing_s/{name}") is not None] or ["plain"]:
                by_kind[kind].append(took_s)
    usual = [median(times) for times in by_kind.values()]
    return max(_STALL_FLOOR_S, _STALL_STEPS * max(usual)) if usual else None


def time_of(row: Row) -> float:
    """When a row was written, in seconds since 1970; 0.0 where it does not say."""
    return to_seconds(str(row.get("time", "")))


def _took_s(before: Row | None, row: Row) -> float:
    """A step's wall time with its validation: from row to row, or what verl measured of the first."""
    if (
        before is not None
        and time_of(before) > 0
        and (whole(row, "step") or 0) - (whole(before, "step") or 0) == 1
    ):
        return time_of(row) - time_of(before)
    return (number(row, "timing_s/step") or 0.0) + (number(row, "timing_s/testing") or 0.0)


def _share(name: str, share: float | None) -> str:
    return (
        ""
        if share is None
        else f"{name} {share:.0%}"
        if share == 0 or share >= 0.01
        else f"{name} {share:.1%}"
    )
