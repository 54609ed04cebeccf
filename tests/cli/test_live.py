"""What is said of a run as it goes on."""

from __future__ import annotations

import io
from dataclasses import replace

from liverl.cli.live import follow, news
from liverl.cli.text import duration
from liverl.operate.status import Status, status
from liverl.operate.validation import Validation
from tests.operate.made import Made


def test_each_step_and_validation_is_said_once(made: Made) -> None:
    first = status(made(steps=((1, 0.25),)))
    second = replace(first, step=2, rewards=((1, 0.25), (2, 0.5)))
    third = replace(second, validation=Validation(0.2, 0.6, 96, 0, 10))
    assert news(None, first)[0].startswith("step  1/30  reward 0.25")
    assert [line[:24] for line in news(first, second)] == ["step  2/30  reward 0.50"]
    assert news(second, third) == ["validation at step 10: 0.60 of 96 trials  (first 0.20)"]
    assert news(third, third) == []


def test_the_steps_of_earlier_attempts_are_not_said_again(made: Made) -> None:
    resumed = status(made(steps=((1, 0.25), (2, 0.5)), starts=(0.0, 100.0)))
    assert news(None, resumed) == []
    again = replace(resumed, rewards=((1, 0.25), (2, 0.75)))
    assert [line[:23] for line in news(resumed, again)] == ["step  2/30  reward 0.75"]


def test_stages_of_the_start_are_said_as_they_come(made: Made) -> None:
    now = status(made())
    booting = replace(now, last_event={"kind": "boot", "time": "1", "message": "Ray is up"})
    assert news(now, booting) == ["boot: Ray is up"]
    assert news(booting, booting) == []


def test_without_a_terminal_a_run_is_plain_lines(made: Made) -> None:
    stream = io.StringIO()
    states: list[Status] = [status(made(steps=((1, 0.25), (2, 0.5)))), status(made("over", state="finished"))]
    assert follow(states, stream) == states[-1]
    assert [line[:10] for line in stream.getvalue().splitlines()] == ["step  1/30", "step  2/30"]


def test_a_duration_is_told_in_the_unit_a_person_would_use() -> None:
    assert [duration(seconds) for seconds in (None, 5, 600, 7200)] == [
        "unknown yet",
        "5 s",
        "10 min",
        "2.0 h",
    ]
