"""Tasks: their files, and what their controls say."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.tasks import (
    check_task_controls,
    check_task_files,
    controls_time_s,
    inspect_task,
    judge_controls,
    judge_images,
    judge_remembered,
    task_images,
)

MakeTask = Callable[[Path], Path]
MakeContext = Callable[..., Context]


@pytest.fixture
def context(make_context: MakeContext, make_task: MakeTask, tmp_path: Path) -> Context:
    for name in "abcdefgh":
        make_task(tmp_path / "train" / name)
    make_task(tmp_path / "val" / "z")
    return make_context()


def test_complete_sets_are_counted(context: Context) -> None:
    (finding,) = check_task_files(context)
    assert finding.title == "8 training and 1 validation tasks have all their files"


@pytest.mark.parametrize(
    ("part", "id_"),
    [
        ("task.toml", "task:no_toml"),
        ("instruction.md", "task:no_instruction"),
        ("environment", "task:no_environment"),
        ("tests", "task:no_tests"),
    ],
)
def test_a_missing_part_names_the_task(part: str, id_: str, context: Context, tmp_path: Path) -> None:
    gone = tmp_path / "train" / "c" / part
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    (finding,) = check_task_files(context)
    assert (finding.id, finding.severity) == (id_, "fatal")
    assert "task c " in finding.title
    assert finding.cure


def test_a_broken_task_toml_is_named_with_its_reason(make_task: MakeTask, tmp_path: Path) -> None:
    task = make_task(tmp_path / "t")
    (task / "task.toml").write_text("[task\n")
    (finding,) = inspect_task(task)
    assert finding.id == "task:bad_toml"
    assert "line 1" in finding.evidence


def test_an_empty_set_is_fatal(context: Context, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "val" / "z")
    (finding,) = check_task_files(context)
    assert (finding.id, finding.title) == ("task:none", "data.val holds no tasks")


def test_a_task_in_both_sets_is_an_error(context: Context, make_task: MakeTask, tmp_path: Path) -> None:
    make_task(tmp_path / "val" / "a")
    (finding,) = check_task_files(context)
    assert (finding.id, finding.severity, finding.evidence) == ("task:leak", "error", "a")


def test_fewer_tasks_than_a_step_wants_is_fatal(context: Context, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "train" / "a")
    (finding,) = check_task_files(context)
    assert finding.cure == "Set training.prompts_per_step to at most 7"


def test_controls_that_fail_are_fatal_and_named() -> None:
    sound = {"task": "ok", "path": "tasks/ok", "oracle": 1.0, "nothing": 0.0, "cached": True}
    rows = [
        sound,
        {**sound, "task": "unsolved", "oracle": 0.0},
        {**sound, "task": "free", "nothing": 1.0},
        {"task": "broken", "error": {"code": "verifier.control", "message": "m", "evidence": "seen"}},
    ]
    findings = judge_controls({"tasks": rows}, 60.0)
    assert [finding.id for finding in findings] == ["task:oracle", "task:free", "task:untestable"]
    assert all(finding.severity == "fatal" for finding in findings)


def test_tasks_not_tried_in_time_are_skipped_not_passed() -> None:
    (finding,) = judge_controls({"tasks": [{"task": "slow", "unchecked": True}]}, 60.0)
    assert (finding.severity, finding.evidence) == ("skipped", "slow")
    assert finding.title.startswith("1 of 1 tasks were not measured: 60 s")


def test_more_tasks_get_more_time(context: Context, make_task: MakeTask, tmp_path: Path) -> None:
    before = controls_time_s(context.config)
    make_task(tmp_path / "val" / "y")
    assert controls_time_s(context.config) > before


def test_sound_tasks_are_counted_with_those_remembered() -> None:
    row = {"task": "ok", "path": "p", "oracle": 1.0, "nothing": 0.0, "cached": True}
    (finding,) = judge_controls({"tasks": [row, {**row, "cached": False}]}, 60.0)
    assert finding.title.startswith("All 2 tasks are sound")
    assert finding.evidence == "1 of them cached"


def test_without_live_probes_only_what_is_remembered_counts(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (finding,) = check_task_controls(context)
    assert (finding.id, finding.severity, finding.cure) == (
        "task:not_probed",
        "skipped",
        "liverl check --probe",
    )
    assert finding.title == "Whether 9 of 9 tasks score what they should was not tried"
    assert finding.evidence == "a, b, c, d, e, f, g, h, …"


def test_tasks_that_are_all_remembered_need_no_probe() -> None:
    row = {"task": "ok", "path": "p", "oracle": 1.0, "nothing": 0.0, "cached": True}
    (finding,) = judge_remembered({"tasks": [row]})
    assert (finding.id, finding.evidence) == ("task:sound", "1 of them cached")


def test_images_are_named_where_the_backend_needs_them(context: Context, tmp_path: Path) -> None:
    toml = tmp_path / "train" / "a" / "task.toml"
    toml.write_text(f'{toml.read_text()}[environment]\ndocker_image = "site/base:1"\n')
    images = task_images(context.config)
    assert images == {"a": "site/base:1"}
    assert judge_images(images, "bubblewrap") == []
    (finding,) = judge_images(images, "docker")
    assert (finding.id, finding.severity, finding.evidence) == ("task:image", "skipped", "site/base:1")
