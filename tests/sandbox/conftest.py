"""Sandboxes for tests, each made by the environment that trials use."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from harbor.models.task.config import EnvironmentConfig
from harbor.models.trial.paths import TrialPaths

from liverl.sandbox.bubblewrap import BubblewrapEnvironment

Start = Callable[..., Awaitable[BubblewrapEnvironment]]


def make_sandbox(folder: Path, **options: Any) -> BubblewrapEnvironment:
    """A sandbox that is not started yet, over a task environment with one program."""
    app = folder / "environment" / "app"
    app.mkdir(parents=True, exist_ok=True)
    (app / "program.py").write_text("print('hello')\n")
    return BubblewrapEnvironment(
        environment_dir=folder / "environment",
        environment_name="sample",
        session_id="sample__env",
        trial_paths=TrialPaths(trial_dir=folder / "trial"),
        task_env_config=EnvironmentConfig(),
        **options,
    )


@pytest.fixture
def needs_bwrap() -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed")


@pytest.fixture
async def start(tmp_path: Path, needs_bwrap: None) -> AsyncIterator[Start]:
    """Starts sandboxes, and stops them at the end."""
    started: list[BubblewrapEnvironment] = []

    async def start_one(**options: Any) -> BubblewrapEnvironment:
        environment = make_sandbox(tmp_path, **options)
        await environment.start(force_build=False)
        started.append(environment)
        return environment

    yield start_one
    for environment in started:
        await environment.stop(delete=True)
