"""What a stop answers."""

from __future__ import annotations

import pytest

from liverl.operate.answer import as_json
from liverl.operate.stop import Stopped, stop
from tests.run.scripted import Launch, made_pids


@pytest.mark.fault
def test_a_stopped_run_says_what_was_verified_and_how_to_go_on(launch_run: Launch) -> None:
    run = launch_run(steps=2, end="hang", stubborn=False)
    made_pids(run, 1)
    stopped = stop(run, "test")
    assert stopped.ok
    assert stopped.summary == f"{run.name} is stopped: asked to (test)"
    assert stopped.next_action == f"liverl resume {run.name}"
    told = as_json(stopped)
    assert told["verified"][0] == "no process of it lives"
    assert "left" not in told


@pytest.mark.fault
def test_a_run_that_does_not_end_names_its_processes_and_the_next_word(launch_run: Launch) -> None:
    run = launch_run(steps=1, end="hang")
    pids = made_pids(run)
    stopped = stop(run, "test")
    assert not stopped.ok
    assert stopped.next_action == f"liverl stop {run.name} --kill"
    assert {item["pid"] for item in as_json(stopped)["left"]} >= set(pids[1:])
    assert f"(pid {pids[1]})" in "\n".join(stopped.lines())
    assert stop(run, "test", kill=True).ok


def test_what_remains_of_an_ended_run_is_cleaned() -> None:
    stopped = Stopped("r", "stopped", "asked to (test)", 0, False, (), ("port 8002 is still taken",))
    assert stopped.summary == "r is stopped: port 8002 is still taken"
    assert stopped.next_action == "liverl clean r"
