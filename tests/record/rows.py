"""Trial rows for tests, plain ones with a few values changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from liverl.record.clock import utc_now
from liverl.record.trials import TrialRow

_PLAIN = TrialRow(
    time="",
    task="off-by-one",
    trial="off-by-one-0",
    split="train",
    step=1,
    weight_version=0,
    group="g0",
    outcome="unsolved",
    blame="",
    reward=0.0,
    turns=3,
    prompt_tokens=100,
    completion_tokens=50,
    sequences=1,
    tries=1,
    seconds={"total": 2.0, "verifier": 0.5},
    spans=[("generation", 1.0, 2.0)],
    path="trials/train/v0000/off-by-one-0",
)


def trial_row(**changes: Any) -> TrialRow:
    """A training trial of step 1 that ended now, unsolved, with some fields changed."""
    return replace(_PLAIN, **{"time": utc_now(), **changes})
