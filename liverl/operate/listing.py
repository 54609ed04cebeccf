"""The runs there are, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liverl.errors import LiveRLError
from liverl.operate.find import Place, list_runs
from liverl.operate.status import Status, status


@dataclass(frozen=True)
class Listing:
    """Runs' statuses, newest first; `total` counts all, `unreadable` names those that could not be read."""

    statuses: tuple[Status, ...]
    total: int
    unreadable: tuple[str, ...] = ()
    ok: bool = True

    @property
    def summary(self) -> str:
        """How many, and how many of them are at work."""
        live = sum(1 for each in self.statuses if each.is_live)
        if not self.total:
            return "There is no run yet."
        return f"{self.total} runs, the newest {len(self.statuses)} shown, {live} of them live"

    @property
    def next_action(self) -> str:
        """One of them, or the first."""
        return f"liverl status {self.statuses[0].name}" if self.statuses else "liverl check"

    def payload(self) -> dict[str, Any]:
        """One short object a run."""
        rows = [
            {
                "run": each.name,
                "state": each.state,
                "step": each.step,
                "steps": each.steps_total,
                "reward": None if each.reward is None else round(each.reward, 3),
                "validation": None if each.validation.last is None else round(each.validation.last, 3),
                "started": each.started[:16],
            }
            for each in self.statuses
        ]
        return {"runs": rows, "unreadable": list(self.unreadable)}


def listing(place: Place, last: int = 0) -> Listing:
    """The newest runs of the folders that runs are looked for in; `last` 0 lists all."""
    runs = list_runs(place)
    statuses, unreadable = [], []
    for run in runs[:last] if last > 0 else runs:
        try:
            statuses.append(status(run))
        except (LiveRLError, OSError) as error:
            unreadable.append(f"{run.name}: {error.message if isinstance(error, LiveRLError) else error}")
    return Listing(tuple(statuses), len(runs), tuple(unreadable))
