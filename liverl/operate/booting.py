"""How far a boot has got, beside how long it usually takes and may take."""

from __future__ import annotations

import time
from dataclasses import dataclass

from liverl.record.clock import to_seconds
from liverl.record.plan import AttemptPlan
from liverl.record.stages import Boot


@dataclass(frozen=True)
class BootStage:
    """The stage that a boot is in: since how long, `ready` of `of` replicas, its usual time and its limit if known.

    `doing` is what it says that it is at.
    """

    name: str
    lasts_s: float
    ready: int = 0
    of: int = 0
    usual_s: float | None = None
    limit_s: float | None = None
    doing: str = ""

    @property
    def line(self) -> str:
        """All in one line."""
        replicas = f" {self.ready} of {self.of}" if self.name == "replicas" and self.of else ""
        usual = "" if self.usual_s is None else f" of usually {self.usual_s:.0f} s"
        limit = "" if self.limit_s is None else f", limit {self.limit_s:.0f} s"
        doing = f": {self.doing}" if self.doing else ""
        return f"{self.name.replace('_', ' ')}{replicas}, {self.lasts_s:.0f} s{usual}{limit}{doing}"


def boot_stage(boot: Boot | None, plan: AttemptPlan) -> BootStage | None:
    """The stage that an attempt's boot is in now; None when it is over or has not begun."""
    if boot is None or boot.is_over:
        return None
    began_s = to_seconds(boot.began)
    lasts_s = max(0.0, time.time() - began_s) if began_s else 0.0
    usual_s = plan.boot_usual.get(boot.stage) if boot.usual_s is None else boot.usual_s
    limit_s = plan.boot_limits.get(boot.stage)
    return BootStage(boot.stage, lasts_s, boot.ready, boot.of, usual_s, limit_s, boot.doing)


def longest_limit_s(plan: AttemptPlan) -> float | None:
    """The limit of the boot's longest stage; None where none is known."""
    return max(plan.boot_limits.values(), default=None)
