"""Small tasks for tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

MakeTask = Callable[..., Path]
GRADE = 'if [ "$(python3 program.py)" = fixed ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt'
SOLVE = "echo \"print('fixed')\" > /app/program.py"


@pytest.fixture
def make_task(tmp_path: Path) -> MakeTask:
    """Writes a task folder whose program must print `fixed`."""

    def make(name: str = "sample", grade: str = GRADE, solve: str = SOLVE) -> Path:
        folder = tmp_path / "tasks" / name
        for part in ("environment/app", "tests", "solution"):
            (folder / part).mkdir(parents=True)
        (folder / "task.toml").write_text(
            f'schema_version = "1.4"\n[task]\nname = "liverl/{name}"\ndescription = "a sample"\n'
            '[environment]\nnetwork_mode = "no-network"\n'
        )
        (folder / "instruction.md").write_text("Make program.py print fixed.\n")
        (folder / "environment" / "Dockerfile").write_text("FROM debian:12\nCOPY app /app\nWORKDIR /app\n")
        (folder / "environment" / "app" / "program.py").write_text("print('broken')\n")
        (folder / "tests" / "test.sh").write_text(f"#!/bin/bash\n{grade}\n")
        (folder / "solution" / "solve.sh").write_text(f"#!/bin/bash\n{solve}\n")
        return folder

    return make


@pytest.fixture(autouse=True)
def needs_bwrap() -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed")
