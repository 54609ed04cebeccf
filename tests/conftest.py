"""The real training run that the session shares: made once, read by every test that asks for it."""

from __future__ import annotations

import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from tests.e2e.painting import make_policy
from tests.e2e.site import Site, end, make_site
from tests.e2e.traces import Watch

NAME = "shared"
STEPS = 3
LIMIT_S = 900.0


@dataclass(frozen=True)
class FinishedRun:
    """A run that `liverl run` made from its first check to its last line, and what was seen of it meanwhile."""

    site: Site
    run: RunDir
    policy: Path
    exit_code: int
    printed: str
    seconds: float
    watch: Watch


def pytest_configure() -> None:
    # A shell that starts pytest in the background makes it, and all that it starts, deaf to Ctrl-C; nohup to SIGHUP.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def painter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that solves about half of the painting tasks."""
    return make_policy(tmp_path_factory.mktemp("painter") / "policy")


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory, painter: Path) -> FinishedRun:
    """Three steps of real training: verl, Ray, LiteLLM and sandboxes; tests that read it carry the marker `run`."""
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    site = make_site(
        tmp_path_factory.mktemp("site"),
        painter,
        {
            "checkpoint": {"save_freq": 1, "keep": 2},
            "logging": {"tensorboard": True, "wandb": "offline"},
        },
    )
    output, begun = site.root / "printed.txt", time.monotonic()
    with Watch(site.runs, interval_s=1.0) as watch:
        process = site.start("run", "--yes", "--name", NAME, output=output)
        try:
            exit_code = process.wait(LIMIT_S)
        finally:
            end(process)
    seconds = time.monotonic() - begun
    return FinishedRun(site, site.run_dir(NAME), painter, exit_code, output.read_text(), seconds, watch)
