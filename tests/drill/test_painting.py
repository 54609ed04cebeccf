"""The tasks of the drills' small world."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from liverl.drill.__main__ import sweep
from liverl.drill.painting import GRADINGS, TRAINING, VALIDATION, grade, write_tasks


@pytest.mark.parametrize("grading", GRADINGS)
def test_each_grading_fills_both_splits_with_tasks_in_harbors_format(tmp_path: Path, grading: str) -> None:
    write_tasks(tmp_path, grading)
    for split, things in (("train", TRAINING), ("val", VALIDATION)):
        assert len(list((tmp_path / split).glob("*/task.toml"))) == len(things)
    for script in tmp_path.glob("*/*/tests/test.sh"):
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("grading", "thing", "reward"),
    [("red", "door", 1), ("red", "gate", 1), ("purple", "door", 0), ("anything", "gate", 1),
     ("mixed", "door", 1), ("mixed", "roof", 0)],
)  # fmt: skip
def test_a_grading_gives_a_red_answer_its_reward(
    tmp_path: Path, grading: str, thing: str, reward: int
) -> None:
    assert graded(tmp_path, grading, thing) == (0, f"{reward}\n")


def test_the_broken_grading_ends_without_a_reward(tmp_path: Path) -> None:
    assert graded(tmp_path, "broken", "door") == (127, "")


def test_an_unknown_grading_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "liverl.drill", str(tmp_path), "--grading", "green"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_what_another_version_made_is_made_anew(tmp_path: Path) -> None:
    sweep(tmp_path)
    write_tasks(tmp_path / "tasks-red")
    sweep(tmp_path)
    assert (tmp_path / "tasks-red").is_dir()
    (tmp_path / "made_by").write_text("another version")
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["made_by"]


def graded(folder: Path, grading: str, thing: str) -> tuple[int, str]:
    """What a task's test.sh ends with and writes for a red answer, in a folder in the place of its sandbox."""
    (folder / "app").mkdir()
    (folder / "app" / "colour.txt").write_text("red\n")
    script = grade(grading, thing).replace("/app", f"{folder}/app").replace("/logs/verifier", str(folder))
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    reward = folder / "reward.txt"
    return done.returncode, reward.read_text() if reward.exists() else ""
