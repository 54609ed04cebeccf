"""Who is on a GPU: the process that nvidia-smi names, and the run that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from liverl.preflight.cards import App
from liverl.preflight.live import LiveRun
from liverl.preflight.owners import Owner


@dataclass(frozen=True)
class Occupant:
    """A process on a GPU; `owner` is None where it is not seen from here, `left_by` names a dead run of ours."""

    app: App
    owner: Owner | None = None
    run: LiveRun | None = None
    left_by: str = ""

    @property
    def told(self) -> str:
        """Who it is and what it holds."""
        memory = (
            f"{self.app.used_mib} MiB" if self.app.used_mib else "memory, how much the driver does not tell"
        )
        who = (
            self.owner.told
            if self.owner
            else f"process {self.app.pid} ({self.app.name}), not seen from here,"
        )
        return f"{who} holds {memory}"
