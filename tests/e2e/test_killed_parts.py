"""One real run whose parts are killed one by one, at a moment that nobody chose.

It survives the loss of sandboxes and of LiteLLM; any other part ends it at once, by that part's name, and `liverl
resume` goes on from the last checkpoint. The fixtures are the story, in this order: bereft → door_killed_again →
worker_killed → replica_killed → raylet_killed → gcs_killed → resumed.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from liverl.record.events import Event, read_events
from liverl.record.layout import RunDir
from liverl.record.runfile import ProcessRef, read_run
from liverl.record.trials import TrialRow, read_trials
from liverl.run.leftovers import end_leftovers
from tests.e2e.breaking import (
    QUIET_LIMIT_S,
    STEP_LIMIT_S,
    Broken,
    amid_a_step,
    break_it,
    kill,
    open_sandboxes,
    read_rows,
    until,
)
from tests.e2e.site import Settings, Site, make_site
from tests.e2e.traces import processes_of

pytestmark = [pytest.mark.fault, pytest.mark.slow]

NAME = "bereft"
# A step of this run takes some three seconds, and a blow may fall at any moment of one.
LATEST_S = 3.0


@dataclass(frozen=True)
class Survived:
    """What came of a part whose death the run outlives: how long until the next step was made, and what it left."""

    seconds: float
    events: list[Event]
    trials: list[TrialRow]


@dataclass(frozen=True)
class Bereft:
    """The losses that the first attempt outlived."""

    sandbox: Survived
    door: Survived


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, painter: Path) -> Iterator[Site]:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    settings: Settings = {
        # It never ends by itself and, learning next to nothing, remains as good as it is.
        "training": {"steps": 500, "val_before_train": False, "test_freq": 500},
        "algorithm": {"learning_rate": 1e-9},
        "checkpoint": {"save_freq": 1, "keep": 2, "export": False},
    }
    made = make_site(tmp_path_factory.mktemp("parts"), painter, settings)
    yield made
    end_leftovers(made.run_dir(NAME))


@pytest.fixture(scope="module")
def run(site: Site) -> RunDir:
    return site.run_dir(NAME)


@pytest.fixture(scope="module")
def bereft(site: Site, run: RunDir) -> Bereft:
    started = site.liverl("run", "--name", NAME, "--yes", "--detach")
    assert started.returncode == 0, started.stderr
    amid_a_step(run, attempt=1)
    sandbox = survive(run, lambda: kill_a_sandbox(run))
    return Bereft(sandbox, survive(run, lambda: kill(run, "door")))


@pytest.fixture(scope="module")
def door_killed_again(site: Site, run: RunDir, bereft: Bereft) -> Broken:
    return break_it(site, run, lambda: kill(run, "door"))


@pytest.fixture(scope="module")
def worker_killed(site: Site, run: RunDir, door_killed_again: Broken) -> Broken:
    return resume_and_kill(site, run, "ray::AgentLoopWorker")


@pytest.fixture(scope="module")
def replica_killed(site: Site, run: RunDir, worker_killed: Broken) -> Broken:
    return resume_and_kill(site, run, "ray::CpuServer")


@pytest.fixture(scope="module")
def raylet_killed(site: Site, run: RunDir, replica_killed: Broken) -> Broken:
    return resume_and_kill(site, run, "raylet")


@pytest.fixture(scope="module")
def gcs_killed(site: Site, run: RunDir, raylet_killed: Broken) -> Broken:
    return resume_and_kill(site, run, "gcs_server")


@pytest.fixture(scope="module")
def resumed(site: Site, run: RunDir, gcs_killed: Broken) -> int:
    """The first step that the last attempt made, which nothing disturbed."""
    attempt = resume(site, run)
    amid_a_step(run, attempt)
    stopped = site.liverl("stop", NAME)
    assert stopped.returncode == 0, stopped.stderr
    return min(int(row["step"]) for row in read_rows(run) if row["attempt"] == attempt)


def survive(run: RunDir, blow: Callable[[], None]) -> Survived:
    """Strike at some moment, and wait until the run has made two steps more: one of them began afterwards."""
    linger()
    events, trials, rows = len(read_events(run)), len(read_trials(run)), len(read_rows(run))
    begun = time.monotonic()
    blow()
    until(lambda: len(read_rows(run)) >= rows + 2, STEP_LIMIT_S, run, live=True)
    return Survived(time.monotonic() - begun, read_events(run)[events:], read_trials(run)[trials:])


def resume(site: Site, run: RunDir) -> int:
    """`liverl resume` in the background; the attempt's number."""
    resumed = site.liverl("resume", NAME, "--yes", "--detach")
    assert resumed.returncode == 0, resumed.stderr
    return read_run(run).last.number


def resume_and_kill(site: Site, run: RunDir, part: str) -> Broken:
    """Go on, and kill a part at some moment behind the first step."""
    attempt = resume(site, run)
    amid_a_step(run, attempt)
    linger()
    process = oldest(run, part)
    return break_it(site, run, lambda: os.kill(process.pid, signal.SIGKILL))


def linger() -> None:
    """Wait for a moment that nobody chose."""
    delay_s = random.uniform(0.0, LATEST_S)
    print(f"the blow falls after {delay_s:.2f} s more")
    time.sleep(delay_s)


def oldest(run: RunDir, name: str) -> ProcessRef:
    """The run's process of a name: an actor's is what Ray calls it, a program's that of its file.

    What it forks bears its name too, until it becomes another program.
    """
    found = []
    for process in processes_of(run):
        try:
            title = Path(f"/proc/{process.pid}/cmdline").read_bytes().partition(b"\0")[0].decode()
        except OSError:
            continue
        if title.startswith(name) or Path(title).name == name:
            found.append(process)
    return min(found, key=lambda process: process.start_ticks)


def kill_a_sandbox(run: RunDir) -> None:
    """Kill sandboxes until one was in the middle of a trial: those that were being taken down are nobody's loss."""
    before = len(failures(read_events(run)))

    def strike() -> bool:
        for process in open_sandboxes(run)[:1]:
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.3)  # what a trial and the supervisor need to tell
        return len(failures(read_events(run))) > before

    until(strike, STEP_LIMIT_S, run, live=True)


def failures(events: list[Event]) -> list[Event]:
    """The trials that failed and were nobody's doing."""
    return [event for event in events if event.kind == "trial_failed"]


def assert_no_trial_was_blamed(trials: list[TrialRow]) -> None:
    """A painter that is let alone is solved or not; only a failure of ours would make it anything worse."""
    assert trials
    wrong = [row for row in trials if row.outcome in ("agent_error", "timeout")]
    assert wrong == []
    assert all((row.reward is None) == (row.outcome == "infrastructure") for row in trials)


def assert_ended_by_name(broken: Broken, run: RunDir, name: str) -> None:
    died = broken.events[-1]
    print(f"quiet after {broken.seconds:.1f} s: {died.fields['reason']}")
    assert broken.left == []
    assert broken.seconds < QUIET_LIMIT_S
    assert (broken.state, broken.status["state"]) == ("failed", "failed")
    assert name in str(died.fields["reason"])
    # The status has room for few words.
    assert name[:15] in broken.status["reason"]
    assert (died.kind, died.fields["next"]) == ("died", f"liverl resume {NAME}")
    # What the blow cut off is not on record as the agent's doing.
    assert_no_trial_was_blamed(read_trials(run))


def test_a_killed_sandbox_costs_its_trial_one_try(bereft: Bereft) -> None:
    lost = bereft.sandbox
    print(f"two steps more after {lost.seconds:.1f} s")
    assert {event.fields["blame"] for event in failures(lost.events)} == {"sandbox"}
    assert_no_trial_was_blamed(lost.trials)
    again = [row for row in lost.trials if row.tries > 1]
    assert again and all(row.outcome != "infrastructure" for row in again)


def test_a_killed_door_is_started_again_and_the_trials_wait_for_it(bereft: Bereft) -> None:
    lost = bereft.door
    print(f"two steps more after {lost.seconds:.1f} s")
    (died,) = [event for event in lost.events if event.kind == "died"]
    assert (died.fields["process"], died.fields["restarted"]) == ("door", True)
    assert {event.fields["blame"] for event in failures(lost.events)} <= {"gateway"}
    # Nobody used up all tries while it started, so neither group nor step was given up.
    assert all(event.fields["retry"] for event in failures(lost.events))
    assert not [event for event in lost.events if event.kind in ("group_dropped", "step_skipped")]
    assert_no_trial_was_blamed(lost.trials)


def test_a_door_that_is_killed_again_ends_the_run(door_killed_again: Broken, run: RunDir) -> None:
    assert_ended_by_name(door_killed_again, run, "the door was killed by SIGKILL again")


def test_a_killed_agent_loop_worker_ends_the_run(worker_killed: Broken, run: RunDir) -> None:
    assert_ended_by_name(worker_killed, run, "an agent-loop worker died")


def test_a_killed_replica_ends_the_run(replica_killed: Broken, run: RunDir) -> None:
    assert_ended_by_name(replica_killed, run, "the replica died")


def test_a_killed_raylet_ends_the_run(raylet_killed: Broken, run: RunDir) -> None:
    assert_ended_by_name(raylet_killed, run, "Ray's raylet died")


def test_a_killed_gcs_ends_the_run(gcs_killed: Broken, run: RunDir) -> None:
    assert_ended_by_name(gcs_killed, run, "Ray's GCS server died")


def test_after_each_of_them_the_run_goes_on_from_its_last_checkpoint(
    resumed: int,
    run: RunDir,
    door_killed_again: Broken,
    worker_killed: Broken,
    replica_killed: Broken,
    raylet_killed: Broken,
    gcs_killed: Broken,
) -> None:
    assert [attempt.state for attempt in read_run(run).attempts] == [*["failed"] * 5, "stopped"]
    rows = read_rows(run)
    blows = (door_killed_again, worker_killed, replica_killed, raylet_killed, gcs_killed)
    for attempt, before in enumerate(blows, start=2):
        first = min(row["step"] for row in rows if row["attempt"] >= attempt)
        # A checkpoint that was whole when the blow fell, or became so before the trainer was gone.
        assert before.checkpoint > 0
        assert before.checkpoint < first <= before.checkpoint + 2
    steps = [row["step"] for row in rows]
    assert steps == sorted(set(steps))
    # verl saves a step's checkpoint before it tells its metrics: a blow between the two takes that row, and no other.
    last_saved = {
        min(row["step"] for row in rows if row["attempt"] == attempt) - 1 for attempt in range(2, 7)
    }
    assert set(range(1, steps[-1] + 1)) - set(steps) <= last_saved
