"""Whether a boot takes longer than its stages may."""

from __future__ import annotations

import time

from liverl.record.events import Event
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan
from liverl.record.stages import DOING, Boot, advance


class BootWatch:
    """Follows the boot of one attempt by its events; a stage without a limit may take for ever."""

    def __init__(self, run: RunDir, plan: AttemptPlan) -> None:
        self._run = run
        self._plan = plan
        self._boot: Boot | None = None
        self._since = time.monotonic()

    def see(self, event: Event) -> None:
        """Take one more event."""
        before = self._boot
        self._boot = advance(before, event)
        # By this machine's steady clock: the events' own times may come from another, or jump.
        if before is None or self._boot is None or before.stage != self._boot.stage:
            self._since = time.monotonic()

    def overdue(self) -> str:
        """Why the attempt is to be ended: stage, time, limit and where to look; "" while all is well."""
        if self._boot is None or self._boot.is_over:
            return ""
        limit_s = self._plan.boot_limits.get(self._boot.stage)
        took_s = time.monotonic() - self._since
        return (
            ""
            if limit_s is None or took_s <= limit_s
            else judge_boot(self._boot, took_s, limit_s, self._look())
        )

    def _look(self) -> str:
        stage = self._boot.stage if self._boot else ""
        if stage == "litellm":
            return str(self._run.component_log(self._plan.attempt, "litellm"))
        if stage == "first_trial":
            return str(self._run.trials)
        log = str(self._run.attempt_log(self._plan.attempt))
        return f"{log} and {self._run.scratch}/ray/session_latest/logs" if stage == "ray" else log


def judge_boot(boot: Boot, took_s: float, limit_s: float, look: str) -> str:
    """The reason why an attempt in this stage is ended."""
    ready = f", {boot.ready} of {boot.of} ready" if boot.stage == "replicas" and boot.of else ""
    return (
        f"the boot was at its stage {boot.stage} ({DOING[boot.stage]}{ready}) for {took_s:.0f} s, "
        f"its limit is {limit_s:.0f} s; look at {look}"
    )
