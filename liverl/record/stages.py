"""The stages of a boot, in order: which one an attempt is in, how long each usually takes, and how long it may.

STAGES     their names
Stage      one of them on a kind of machine: usual and longest time, what happens
stages_of  all of them where replicas run on a CPU, or on vLLM
Boot       where a boot stands
advance    the boot after one more event; `read_boot` after all of a run's events

An event of kind `boot` with a `stage` says that this stage has begun or has got further (`ready` of `of` replicas);
with `done` it says that the stage is over, with `message` what it is at, with `usual_s` how long that usually takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from liverl.record.events import Event

STAGES = ("environment", "ray", "replicas", "litellm", "first_trial")
_OVER = ("step", "checkpoint", "exported")


@dataclass(frozen=True)
class Stage:
    """A stage on one kind of machine.

    `usual_s` is what it took where it was measured, or is said to take; an attempt that stays in it longer than
    `limit_s` is ended. `doing` says what happens.
    """

    name: str
    usual_s: float
    limit_s: float
    doing: str


DOING = {
    "environment": "tasks are written into tables",
    "ray": "Ray starts, and verl in it",
    "replicas": "models are loaded, replicas begin to serve",
    "litellm": "LiteLLM and the whole chain are tried once",
    "first_trial": "the first trials run",
}
"""What happens in each stage."""

# (usual, limit) in seconds. Usual on a CPU: six runs on 2 cores took 0.5 to 1.2, 14 to 23, 22 to 25, 8 to 12 and 1.5 to
# 2.3 s. The limits leave room for a slow disk and a busy machine; LiteLLM's is above the 180 + 2 x 120 s after which
# the check of the chain itself gives up, so that its error is the one that is seen. The first run on a machine also
# makes its policy in the environment stage, which took 113 to 116 s.
_CPU = {
    "environment": (1.0, 900.0),
    "ray": (20.0, 300.0),
    "replicas": (25.0, 600.0),
    "litellm": (10.0, 480.0),
    "first_trial": (5.0, 300.0),
}
# Not measured here. Imports from a network disk take about 9 s, a Ray head may wait 300 s for its nodes, the capture of
# CUDA graphs of a 30B MoE takes 10 to 20 minutes, a sandbox's image up to 20 minutes to be pulled. Ray's limit includes
# that of the replicas: on several machines it may be that no worker can tell where one ends and the other begins.
_VLLM = {
    "environment": (10.0, 600.0),
    "ray": (60.0, 2700.0),
    "replicas": (900.0, 1800.0),
    "litellm": (60.0, 900.0),
    "first_trial": (300.0, 1800.0),
}


def stages_of(rollout: str) -> dict[str, Stage]:
    """The stages by name, for replicas on the CPU (`cpu`) or on GPUs (anything else)."""
    times = _CPU if rollout == "cpu" else _VLLM
    return {name: Stage(name, *times[name], DOING[name]) for name in STAGES}


@dataclass(frozen=True)
class Boot:
    """Where a boot stands: the stage it is in since `began` (UTC), "" once it is over; replicas that are ready.

    `doing` is what it says it is at, `usual_s` how long it says that this usually takes.
    """

    stage: str
    began: str
    ready: int = 0
    of: int = 0
    doing: str = ""
    usual_s: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the first trial has ended, or a step was made."""
        return not self.stage


def advance(boot: Boot | None, event: Event) -> Boot | None:
    """The boot after an event; None before an attempt has started. Stages never go back."""
    if event.kind in ("started", "resumed"):
        return Boot(STAGES[0], event.time)
    if boot is None or boot.is_over:
        return boot
    if event.kind in _OVER:
        return replace(boot, stage="", began=event.time)
    stage = event.fields.get("stage")
    if event.kind != "boot" or stage not in STAGES or STAGES.index(stage) < STAGES.index(boot.stage):
        return boot
    ready, of = _count(event, "ready", boot.ready), _count(event, "of", boot.of)
    is_done = event.fields.get("done") is True or (stage == "replicas" and 0 < of <= ready)
    now = _next(stage) if is_done else stage
    if now != stage:
        return Boot(now, event.time, ready, of)
    doing, usual_s = event.fields.get("message"), event.fields.get("usual_s")
    return Boot(
        now,
        boot.began if now == boot.stage else event.time,
        ready,
        of,
        doing if isinstance(doing, str) else "",
        float(usual_s) if isinstance(usual_s, int | float) else None,
    )


def read_boot(events: Iterable[Event]) -> Boot | None:
    """The boot of a run's newest attempt, from its events; None when none has started."""
    boot: Boot | None = None
    for event in events:
        boot = advance(boot, event)
    return boot


def _next(stage: str) -> str:
    return (*STAGES, "")[STAGES.index(stage) + 1]


def _count(event: Event, key: str, before: int) -> int:
    value = event.fields.get(key)
    return max(before, value) if type(value) is int else before
