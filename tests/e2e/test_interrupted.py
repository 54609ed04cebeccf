"""One real run that Ctrl-C ends while trials are in their sandboxes, and that goes on when it is resumed."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.runfile import read_run
from liverl.run.leftovers import end_leftovers
from tests.e2e.breaking import QUIET_LIMIT_S, STEP_LIMIT_S, Broken, amid_a_step, break_it, until
from tests.e2e.site import Site, end, make_site

pytestmark = [pytest.mark.fault, pytest.mark.slow]

NAME = "interrupted"
STEPS = 4


@dataclass(frozen=True)
class Interrupted:
    """`liverl run` after Ctrl-C."""

    broken: Broken
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
    made = make_site(tmp_path_factory.mktemp("interrupted"), painter, settings)
    yield made
    end_leftovers(made.run_dir(NAME))


@pytest.fixture(scope="module")
def run(site: Site) -> RunDir:
    return site.run_dir(NAME)


@pytest.fixture(scope="module")
def interrupted(site: Site, run: RunDir) -> Interrupted:
    output = site.root / "run.txt"
    process = site.start("run", "--yes", "--name", NAME, output=output)
    try:
        until(lambda: run.run_json.exists() or process.poll() is not None, STEP_LIMIT_S, run)
        assert process.poll() is None, output.read_text()
        amid_a_step(run, attempt=1)
        broken = break_it(site, run, lambda: process.send_signal(signal.SIGINT))
        return Interrupted(broken, process.wait(QUIET_LIMIT_S), output.read_text())
    finally:
        end(process)


def test_ctrl_c_ends_everything_and_says_how_to_go_on(interrupted: Interrupted) -> None:
    assert interrupted.broken.sandboxes > 0
    assert interrupted.broken.left == []
    assert interrupted.broken.seconds < QUIET_LIMIT_S
    assert interrupted.exit_code == 130, interrupted.printed
    assert f"stopping {NAME} ..." in interrupted.printed
    assert f"liverl resume {NAME}" in interrupted.printed.splitlines()[-1]
    assert "Traceback" not in interrupted.printed


def test_ctrl_c_leaves_a_run_that_is_stopped_not_failed(interrupted: Interrupted) -> None:
    broken = interrupted.broken
    assert (broken.state, broken.status["state"], broken.status_code) == ("stopped", "stopped", 0)
    assert broken.events[-1].kind == "stopped"
    assert broken.events[-1].fields["next"] == broken.status["next"] == f"liverl resume {NAME}"


def test_it_goes_on_to_the_same_number_of_steps(interrupted: Interrupted, site: Site, run: RunDir) -> None:
    done = site.liverl("resume", NAME, "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [attempt.state for attempt in read_run(run).attempts] == ["stopped", "finished"]
    rows = {row["step"]: row for row in read_metrics(run)}
    assert sorted(rows) == list(range(1, STEPS + 1))
    for row in interrupted.broken.rows:
        assert rows[row["step"]] == row or rows[row["step"]]["attempt"] > row["attempt"]
