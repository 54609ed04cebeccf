"""When a drill's failure begins: after a step, for all processes of the run at the same moment, on record."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from liverl.record.events import post_event
from liverl.record.layout import RunDir

VARIABLE = "LIVERL_DRILL"
"""`NAME:STEP` in the environment of a drill's run; nothing of this room does anything without it."""


@dataclass(frozen=True)
class Onset:
    """A drill's name, the step behind which its failure begins, and the run."""

    name: str
    step: int
    run: RunDir

    @classmethod
    def of_environment(cls) -> Onset | None:
        """The drill that this process belongs to; None in every other run."""
        name, _, step = os.environ.get(VARIABLE, "").partition(":")
        if not name or "LIVERL_RUN_DIR" not in os.environ:
            return None
        return cls(name, int(step or 0), RunDir(Path(os.environ["LIVERL_RUN_DIR"])))

    @property
    def mark(self) -> Path:
        """The file that is there from the beginning of the failure on."""
        return self.run.data / "drill_has_begun"

    def has_come(self) -> bool:
        """Whether the failure has begun."""
        return self.mark.exists()

    def reach(self, step: int) -> bool:
        """Say that a step was made; whether the failure has begun. The first process to get there posts the event."""
        if step < self.step:
            return False
        try:
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return True
        post_event(
            self.run, "drill", drill=self.name, step=step, message=f"the drill {self.name} begins here"
        )
        return True
