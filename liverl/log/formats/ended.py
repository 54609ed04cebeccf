"""What W&B prints when a run ends: the last value of each metric, below `Run summary:`."""

from __future__ import annotations

import re

from liverl.log.formats.training import is_of_training, known_of
from liverl.log.formats.values import NUMBER, number, whole

BEGINS = b"Run summary:"
_ROW = re.compile(rf"\s*(?:wandb:\s+)?(?P<key>[A-Za-z_]\S*)\s+(?P<value>{NUMBER}|-?nan|-?inf)\s*$")
_TITLE = re.compile(r"\s*(?:wandb:\s*)?Run summary:\s*$")
_STEPS = (
    "training/global_step", "train/global_step", "trainer/global_step", "global_step", "trainer/step", "train/step",
    "step", "_step", "rollout/step",
)  # fmt: skip
_MOST_MISSED, _MOST_LINES = 4, 400
_FEWEST = 2


class Ended:
    """The lines below the title; `follow` is how many lines more it wants to see."""

    form = "summary"
    total: int | None = None

    def __init__(self) -> None:
        self.follow = _MOST_MISSED
        self._left = _MOST_LINES
        self._row: dict[str, float] = {}

    def join(self, text: str) -> bool:
        """Whether a line tells one more metric."""
        self._left -= 1
        found = _ROW.match(text)
        value = number(found.group("value")) if found else None
        self.follow = min(self.follow - 1 if value is None else _MOST_MISSED, self._left)
        if found is None or value is None:
            return False
        # Five digits are left of a value: a learning rate is told as nothing.
        if found.group("value") != "0.0":
            self._row[found.group("key")] = value
        return True

    @property
    def step(self) -> int:
        """The run's last step; 1 where it is not told."""
        return next((step for key in _STEPS if (step := whole(self._row.get(key))) is not None), 1)

    @property
    def row(self) -> dict[str, float] | None:
        """The metrics; None where there are none that only a training has."""
        return self._row if len(known_of(self._row)) >= _FEWEST and is_of_training(self._row) else None


def begun_by(text: str) -> Ended | None:
    """What follows the title; None where a line says more."""
    return Ended() if _TITLE.match(text) else None
