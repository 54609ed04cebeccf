"""Each task's own scripts in a plain folder: the fault is seen, the solution mends it, and grading is hard to fool."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tasks.folders import TaskFolder, read_split, shell

EVERY = [*read_split("train"), *read_split("val")]


def _place(task: TaskFolder, folder: Path) -> Path:
    app = folder / "app"
    shutil.copytree(task.path / "environment" / "app", app)
    return app


def _grade(task: TaskFolder, app: Path) -> str:
    logs = app.parent / "logs"
    logs.mkdir(exist_ok=True)
    shell([str(task.path / "tests" / "test.sh")], app, logs)
    return (logs / "reward.txt").read_text().strip()


@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_the_fault_is_seen_and_the_solution_mends_it(task: TaskFolder, tmp_path: Path) -> None:
    app = _place(task, tmp_path)
    name = task.name.split("-", 1)[1].replace("-", "_")
    assert f"FAIL: test_{name}\n" in shell(["sh", "check.sh"], app, tmp_path)
    assert _grade(task, app) == "0"
    shell(["bash", str(task.path / "solution" / "solve.sh")], app, tmp_path)
    assert shell(["sh", "check.sh"], app, tmp_path) == "OK\n"
    assert _grade(task, app) == "1"


PLANTED = {
    "unittest.py": "import sys\nprint(sys.stdin.read())\nsys.exit(0)\n",
    "sitecustomize.py": "import os\nos._exit(0)\n",
    "usercustomize.py": "import os\nos._exit(0)\n",
    "run.py": "import sys\nprint(sys.stdin.read())\n",
    "os.py": "print('planted')\n",
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_file_planted_beside_the_program_changes_no_grade(planted: str, tmp_path: Path) -> None:
    task = EVERY[0]
    app = _place(task, tmp_path)
    (app / planted).write_text(PLANTED[planted])
    assert _grade(task, app) == "0"


def test_the_agents_own_copy_of_the_tests_does_not_count(tmp_path: Path) -> None:
    task = EVERY[0]
    app = _place(task, tmp_path)
    (app / f"test_{task.program.name}").write_text("import unittest\n")
    (app / "check.sh").write_text("echo OK\n")
    assert _grade(task, app) == "0"


def test_a_program_that_ends_the_run_early_fails(tmp_path: Path) -> None:
    task = EVERY[0]
    app = _place(task, tmp_path)
    (app / task.program.name).write_text("import os\nprint('OK')\nos._exit(0)\n")
    assert _grade(task, app) == "0"
