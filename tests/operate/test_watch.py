"""One line whenever a run's state changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.operate.find import Place
from liverl.operate.status import status
from liverl.operate.validation import Validation
from liverl.operate.watch import changes, watch_news
from liverl.record.events import append_event
from liverl.record.layout import RunDir
from tests.operate.made import Made, add_step
from tests.operate.test_status import move


def lines_of(where: RunDir | Place, interval_s: float) -> Iterator[str]:
    """What a watch tells a person, as `liverl watch` prints it."""
    return (each.line for each in watch_news(where, interval_s))


def test_what_happens_is_told_once(made: Made) -> None:
    first = status(made("r", steps=((1, 0.25),)))
    second = replace(first, step=3, eta_s=600.0, reward=0.5)
    third = replace(second, validation=Validation(0.2, 0.6, 96, 0, 10), checkpoint=3)
    stalled = replace(third, state="stalled", reason="nothing was written for 60 s")
    assert changes(None, first) == ["is training: step 1 of 30, reward 0.25"]
    assert changes(first, second) == ["step 3 of 30 (10 %), reward 0.50, 10 min left"]
    assert changes(second, third) == [
        "validation at step 10: 0.60 of 96 trials (first 0.20)",
        "checkpoint of step 3 is saved",
    ]
    assert changes(third, stalled) == ["stalled: nothing was written for 60 s; next: liverl trials r"]
    assert changes(stalled, third) == ["goes on: it is training, step 3 of 30"]
    assert changes(third, third) == []


def test_steps_between_two_tenths_and_a_validation_that_begins_are_no_news(made: Made) -> None:
    now = status(made(steps=((1, 0.25),)))
    assert changes(now, replace(now, step=2, state="validating")) == []


def test_a_start_and_a_resume_are_told(made: Made) -> None:
    booting = replace(status(made("r")), state="starting", attempt=1)
    assert changes(None, booting) == ["started"]
    assert changes(booting, replace(booting, state="training")) == ["ready: it is training"]
    assert changes(booting, replace(booting, attempt=2, step=10)) == [
        "resumed: attempt 2, from step 10 of 30"
    ]


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("failed", "failed: why; next: liverl resume r"),
        ("dead", "dead: why; next: liverl resume r"),
        ("unreachable", "unreachable: why; next: liverl resume r"),
        ("stopping", "stopping: why"),
        ("finished", "finished: step 1 of 30, reward 0.25"),
    ],
)
def test_every_end_is_told_with_its_reason(made: Made, state: str, told: str) -> None:
    now = status(made("r", steps=((1, 0.25),)))
    after = replace(now, state=state, reason="why", next_action="liverl resume r")
    assert changes(now, after) == [told]


def test_the_watch_of_a_run_ends_with_it_and_the_end_is_told_last(made: Made) -> None:
    run = made("r", steps=((1, 0.25),))
    lines = lines_of(run, interval_s=0.01)
    assert next(lines) == "r is training: step 1 of 30, reward 0.25"
    add_step(run, 30, 0.75)
    append_event(run, "checkpoint", step=30)
    move(run, state="finished", reason="the trainer finished")
    assert list(lines) == [
        "r step 30 of 30 (100 %), reward 0.75",
        "r checkpoint of step 30 is saved",
        "r finished: step 30 of 30, reward 0.75",
    ]


def test_the_watch_of_a_place_waits_for_a_run_and_tells_nothing_of_old_ones(
    made: Made, tmp_path: Path
) -> None:
    made("old", state="failed", reason="long ago")
    lines = lines_of(Place(tmp_path), interval_s=0.01)
    told = _after(lines, lambda: made("new", state="starting"))
    assert told == "new started"
    move(RunDir(tmp_path / "runs" / "new"), state="failed", reason="no memory")
    assert next(lines) == "new failed: no memory; next: liverl resume new"


def test_a_run_that_cannot_be_read_is_told_once(made: Made, tmp_path: Path) -> None:
    run = made("r", steps=((1, 0.25),))
    lines = lines_of(Place(tmp_path), interval_s=0.01)
    next(lines)
    good = run.run_json.read_bytes()
    run.run_json.write_bytes(b"half")
    assert "r can't be read" in next(lines)
    told = _after(
        lines, lambda: (run.run_json.write_bytes(good), move(run, state="stopped", reason="asked to"))
    )
    assert told.startswith("r stopped: asked to")


def _after(lines: Iterator[str], change: Callable[[], object]) -> str:
    """The next line, when something changes while it is waited for."""
    timer = threading.Timer(0.1, change)
    timer.start()
    try:
        return next(lines)
    finally:
        timer.join()
