"""Each task's own scripts in a plain folder: the fault is seen, the solution mends it, and grading is hard to fool."""

from __future__ import annotations

import shutil
import textwrap
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


CHEATS = {
    "writes the reward": """
        import os
        for name in ("reward.json", "reward.txt"):
            with open(os.path.join(os.environ["VERIFIER_LOGS"], name), "w") as reward:
                reward.write('{"reward": 1000}')
        os._exit(0)
    """,
    "looks for a word in the frames below": """
        import os, sys
        frame = sys._getframe()
        while frame:
            sys.stdout.write(str(frame.f_locals.get("word", "")))
            frame = frame.f_back
        sys.stdout.flush()
        os._exit(0)
    """,
    "reads standard input": "import os, sys; print(sys.stdin.read(), flush=True); os._exit(0)",
    "skips the tests": "import unittest; raise unittest.SkipTest",
    "ends what runs it": "import os, signal; os.kill(os.getppid(), signal.SIGKILL); os._exit(0)",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_program_that_cheats_earns_nothing(cheat: str, tmp_path: Path) -> None:
    task = EVERY[0]
    app = _place(task, tmp_path)
    (app / task.program.name).write_text(textwrap.dedent(CHEATS[cheat]))
    assert _grade(task, app) == "0"
    assert not (tmp_path / "logs" / "reward.json").exists()


def test_a_skipped_test_has_not_passed(tmp_path: Path) -> None:
    task = EVERY[0]
    app = _place(task, tmp_path)
    shell(["bash", str(task.path / "solution" / "solve.sh")], app, tmp_path)
    program = app / task.program.name
    fixed = program.read_text()
    program.write_text(
        fixed.replace("    return", "    import unittest; raise unittest.SkipTest\n    return", 1)
    )
    assert fixed != program.read_text()
    assert _grade(task, app) == "0"


@pytest.mark.parametrize("part", ["test.sh", "run.py"])
def test_every_task_is_graded_by_the_same_scripts(part: str) -> None:
    def text(task: TaskFolder) -> str:
        return (task.path / "tests" / part).read_text().replace(f"test_{task.program.stem}", "MODULE")

    assert {text(task) for task in EVERY} == {text(EVERY[0])}
