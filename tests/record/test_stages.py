"""The stages of a boot."""

from __future__ import annotations

import pytest

from liverl.record.events import Event
from liverl.record.stages import STAGES, Boot, read_boot, stages_of


def boot(second: int, **fields: object) -> Event:
    return Event(f"2026-01-01T00:00:{second:02d}.000Z", "boot", dict(fields))


START = Event("2026-01-01T00:00:00.000Z", "started", {"attempt": 1})


def test_a_boot_goes_from_stage_to_stage() -> None:
    events = [
        START,
        boot(1, stage="environment", message="door started"),
        boot(2, stage="ray"),
        boot(3, stage="replicas", ready=0, of=2),
        boot(4, stage="replicas", ready=1, of=2),
        boot(5, stage="replicas", ready=2, of=2),
        boot(6, stage="litellm", done=True),
        Event("2026-01-01T00:00:06.500Z", "ready"),
        boot(7, stage="first_trial", done=True),
    ]
    seen = [read_boot(events[:count]) for count in range(len(events) + 1)]
    assert seen[0] is None
    stages = [state.stage for state in seen[1:] if state]
    assert stages == [
        "environment", "environment", "ray", "replicas", "replicas", "litellm", "first_trial", "first_trial", "",
    ]  # fmt: skip
    assert seen[5] == Boot("replicas", "2026-01-01T00:00:03.000Z", 1, 2)
    assert seen[-1] is not None and seen[-1].is_over


def test_a_stage_tells_what_it_is_at_and_how_long_that_usually_takes() -> None:
    building = boot(1, stage="environment", message="building the policy: 20 %", usual_s=115)
    state = read_boot([START, building])
    assert state == Boot("environment", START.time, doing="building the policy: 20 %", usual_s=115.0)
    assert read_boot([START, building, boot(2, stage="ray")]) == Boot("ray", "2026-01-01T00:00:02.000Z")
    odd = boot(1, stage="environment", message=["x"], usual_s="soon")
    assert read_boot([START, odd]) == Boot("environment", START.time)


def test_a_second_worker_that_tells_of_an_earlier_stage_takes_nothing_back() -> None:
    events = [START, boot(1, stage="litellm", done=True), boot(2, stage="replicas", ready=1, of=2)]
    assert read_boot(events) == Boot("first_trial", "2026-01-01T00:00:01.000Z")


@pytest.mark.parametrize("kind", ["step", "checkpoint", "exported"])
def test_what_comes_after_a_boot_ends_it(kind: str) -> None:
    state = read_boot([START, boot(1, stage="ray"), Event("2026-01-01T00:00:09.000Z", kind)])
    assert state is not None and state.is_over


def test_a_resumed_attempt_boots_anew() -> None:
    state = read_boot([START, Event("", "step"), Event("2026-01-01T00:01:00.000Z", "resumed")])
    assert state == Boot("environment", "2026-01-01T00:01:00.000Z")


@pytest.mark.parametrize("stage", [None, 3, [], "unknown", {"a": 1}])
def test_an_event_with_a_stage_that_is_none_changes_nothing(stage: object) -> None:
    assert read_boot([START, boot(1, stage=stage, ready="x", of=None)]) == Boot("environment", START.time)


@pytest.mark.parametrize("rollout", ["cpu", "vllm"])
def test_every_stage_may_take_much_longer_than_it_usually_does(rollout: str) -> None:
    stages = stages_of(rollout)
    assert tuple(stages) == STAGES
    assert all(stage.limit_s >= 2 * stage.usual_s for stage in stages.values())


def test_the_capture_of_cuda_graphs_is_not_taken_for_a_hang() -> None:
    assert stages_of("vllm")["replicas"].limit_s == 1800.0
