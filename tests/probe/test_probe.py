"""The probes as preflight asks them: real processes, one JSON object each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from liverl.probe.memory import Memory, task_key
from tests.probe.conftest import GPU_HOST, LAPTOP, ROOT, answer, resolved, start


def test_verl_accepts_the_cpu_and_the_gpu_profile_and_refuses_a_key_it_does_not_know(tmp_path: Path) -> None:
    asked = {
        "cpu": start("verl", resolved(LAPTOP), tmp_path),
        "gpu_8": start("verl", resolved(GPU_HOST), tmp_path),
        "bad": start(
            "verl",
            resolved(LAPTOP, verl__trainer__no_such_key=1, verl__trainer__total_epoch=2),
            tmp_path,
        ),
        "refused": start("verl", resolved(LAPTOP, verl__trainer__total_epochs="${nothing}"), tmp_path),
    }
    told = {name: answer(process) for name, process in asked.items()}
    assert (told["cpu"]["version"], told["cpu"]["cached"]) == ("0.9.1", False)
    assert told["gpu_8"]["version"] == "0.9.1"
    # What a run is called is no setting of verl's: `run` is not asked again what `check` was told.
    named = answer(start("verl", resolved(LAPTOP, experiment__name="another"), tmp_path))
    assert (named["version"], named["cached"]) == ("0.9.1", True)
    assert told["bad"]["unknown"] == [
        {"key": "trainer.no_such_key", "nearest": ""},
        {"key": "trainer.total_epoch", "nearest": "trainer.total_epochs"},
    ]
    error = told["refused"]["error"]
    assert isinstance(error, dict)
    assert error["code"] == "verl.refused"
    assert "nothing" in error["evidence"]


@pytest.mark.sandbox
def test_the_sandbox_probe_says_what_isolates_trials(tmp_path: Path) -> None:
    told = answer(start("sandbox", resolved(LAPTOP), tmp_path))
    if not told["ok"]:
        pytest.skip(f"no sandboxes here: {told['cure']}")
    assert told["limits"]


@pytest.mark.sandbox
def test_tasks_are_tried_once_and_then_remembered(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is missing: install bubblewrap")
    task = next((ROOT / "tasks" / "train").glob("*/task.toml")).parent
    shutil.copytree(task, tmp_path / "train" / task.name)
    shutil.copytree(task, tmp_path / "train" / "spoilt")
    (tmp_path / "train" / "spoilt" / "solution" / "solve.sh").write_text("true\n")
    (tmp_path / "val").mkdir()
    config = resolved(LAPTOP, data__train=str(tmp_path / "train"), data__val=str(tmp_path / "val"))
    first = rows(answer(start("tasks", config, tmp_path)))
    assert (first[task.name]["oracle"], first[task.name]["nothing"], first[task.name]["cached"]) == (
        1,
        0,
        False,
    )
    assert first["spoilt"]["oracle"] == 0
    second = rows(answer(start("tasks", config, tmp_path)))
    assert second[task.name]["cached"] is True
    assert second["spoilt"]["cached"] is False


def rows(told: dict[str, object]) -> dict[str, dict[str, object]]:
    tasks = told["tasks"]
    assert isinstance(tasks, list)
    return {row["task"]: row for row in tasks}


def test_an_unreadable_model_is_an_error_in_json(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    told = answer(start("model", resolved(LAPTOP, model__path=str(tmp_path)), tmp_path))
    error = told["error"]
    assert isinstance(error, dict)
    assert error["code"] == "model.unreadable"
    assert error["next_action"]


def test_a_config_that_is_none_is_an_error_in_json(tmp_path: Path) -> None:
    process = start("sandbox", "a: [", tmp_path)
    error = answer(process)["error"]
    assert isinstance(error, dict)
    assert error["code"] == "probe.sandbox"
    assert process.returncode == 1


def test_a_changed_file_or_limit_makes_another_key(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = task_key(tmp_path, {"memory_mb": 1})
    assert task_key(tmp_path, {"memory_mb": 1}) == before
    assert task_key(tmp_path, {"memory_mb": 2}) != before
    (tmp_path / "a").write_text("2")
    assert task_key(tmp_path, {"memory_mb": 1}) != before


def test_a_broken_memory_is_an_empty_one(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text('{"a": 1')
    memory = Memory.read(file)
    memory.remember("k", {"oracle": 1.0})
    memory.save()
    assert Memory.read(file).recall("k") == {"oracle": 1.0}
