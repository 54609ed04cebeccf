"""One real run that loses its trainer, loses its supervisor, and still makes all its steps.

Each attempt is broken while trials are in their sandboxes. The fixtures are the story, in this order:
trainer_killed → supervisor_killed → completed. `test_interrupted.py` does the same with Ctrl-C.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from liverl.record.events import read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.runfile import read_run
from liverl.record.trials import read_trials
from liverl.run.resume import end_leftovers
from tests.e2e.breaking import (
    QUIET_LIMIT_S,
    Broken,
    amid_a_step,
    break_it,
    kill,
    read_rows,
)
from tests.e2e.site import Site, make_site
from tests.e2e.traces import TOKEN, files_below

pytestmark = pytest.mark.fault

NAME = "unlucky"
STEPS = 5


@dataclass(frozen=True)
class Completed:
    """The last `liverl resume`, which nothing disturbed."""

    exit_code: int
    printed: str


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, painter: Path) -> Iterator[Site]:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    settings = {
        "training": {"steps": STEPS, "val_before_train": False, "test_freq": STEPS},
        "checkpoint": {"save_freq": 1, "keep": 2},
    }
    made = make_site(tmp_path_factory.mktemp("faults"), painter, settings)
    yield made
    end_leftovers(made.run_dir(NAME))


@pytest.fixture(scope="module")
def run(site: Site) -> RunDir:
    return site.run_dir(NAME)


@pytest.fixture(scope="module")
def trainer_killed(site: Site, run: RunDir) -> Broken:
    started = site.liverl("run", "--yes", "--detach", "--name", NAME)
    assert started.returncode == 0, started.stderr
    amid_a_step(run, attempt=1)
    return break_it(site, run, lambda: kill(run, "trainer"))


@pytest.fixture(scope="module")
def supervisor_killed(site: Site, run: RunDir, trainer_killed: Broken) -> Broken:
    resumed = site.liverl("resume", NAME, "--yes", "--detach")
    assert resumed.returncode == 0, resumed.stderr
    amid_a_step(run, attempt=2)
    return break_it(site, run, lambda: kill(run, "supervisor"))


@pytest.fixture(scope="module")
def completed(site: Site, supervisor_killed: Broken) -> Completed:
    done = site.liverl("resume", NAME, "--yes")
    return Completed(done.returncode, done.stdout + done.stderr)


def assert_nothing_is_left(broken: Broken) -> None:
    print(f"quiet after {broken.seconds:.1f} s, {broken.sandboxes} sandboxes were open")
    assert broken.sandboxes > 0
    assert broken.left == []
    assert broken.seconds < QUIET_LIMIT_S


def test_a_killed_trainer_leaves_no_process_and_no_sandbox(trainer_killed: Broken) -> None:
    assert_nothing_is_left(trainer_killed)


def test_a_killed_trainer_is_an_event_with_its_signal_and_what_to_do(trainer_killed: Broken) -> None:
    assert (trainer_killed.state, trainer_killed.status_code) == ("failed", 3)
    died = trainer_killed.events[-1]
    assert (died.kind, died.fields["process"], died.fields["exit_status"]) == (
        "died",
        "trainer",
        -signal.SIGKILL,
    )
    assert "SIGKILL" in trainer_killed.status["reason"]
    # A process that is killed says nothing, so nothing of what it printed before is offered as the cause.
    assert died.fields["lines"] == trainer_killed.status.get("evidence", []) == []
    assert died.fields["next"] == trainer_killed.status["next"] == f"liverl resume {NAME}"


def test_what_a_killed_trainer_leaves_to_read_holds_no_secret(trainer_killed: Broken, run: RunDir) -> None:
    (key,) = trainer_killed.keys
    for folder in (run.root, run.scratch):
        files = list(files_below(folder))
        assert files
        assert not [path for path, content in files if key in content or TOKEN.search(content)]


def test_a_killed_supervisor_takes_trainer_ray_door_and_sandboxes_with_it(supervisor_killed: Broken) -> None:
    assert_nothing_is_left(supervisor_killed)


def test_a_killed_supervisor_is_told_by_whoever_looks_next(supervisor_killed: Broken) -> None:
    assert (supervisor_killed.state, supervisor_killed.status_code) == ("dead", 3)
    assert "supervisor" in supervisor_killed.status["reason"]
    assert supervisor_killed.status["next"] == f"liverl resume {NAME}"


def test_after_all_that_the_run_makes_the_same_number_of_steps(completed: Completed, run: RunDir) -> None:
    assert completed.exit_code == 0, completed.printed
    record = read_run(run)
    assert [attempt.state for attempt in record.attempts] == ["failed", "failed", "finished"]
    assert [row["step"] for row in read_metrics(run)] == list(range(1, STEPS + 1))
    assert (run.root / "policy" / "model.safetensors").is_file()


def test_each_attempt_went_on_from_the_last_checkpoint(
    completed: Completed,
    run: RunDir,
    trainer_killed: Broken,
    supervisor_killed: Broken,
) -> None:
    rows = list(read_rows(run))
    for attempt, before in enumerate((trainer_killed, supervisor_killed), start=2):
        first = min(row["step"] for row in rows if row["attempt"] >= attempt)
        # A checkpoint that was whole when the blow fell, or became so before the trainer was gone.
        assert before.checkpoint > 0
        assert before.checkpoint < first <= before.checkpoint + 2
    assert [event.kind for event in read_events(run)].count("resumed") == 2


def test_nothing_that_was_on_disk_before_a_blow_is_lost(
    completed: Completed,
    run: RunDir,
    trainer_killed: Broken,
    supervisor_killed: Broken,
) -> None:
    rows = {row["step"]: row for row in read_metrics(run)}
    for before in (trainer_killed, supervisor_killed):
        for row in before.rows:
            assert rows[row["step"]] == row or rows[row["step"]]["attempt"] > row["attempt"]
        known = [event for event in read_events(run)][: len(before.events)]
        assert known == before.events
        assert len(read_trials(run)) >= before.trials
    assert {row["attempt"] for row in rows.values()} == {1, 2, 3}
    for row in read_trials(run):
        assert (run.root / row.path / "result.json").is_file()
