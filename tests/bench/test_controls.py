"""The observations of the swapped control come from another program's trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.controls import swapped_observations
from liverl.record.layout import RunDir
from liverl.record.trajectory import write_trajectory
from liverl.record.trials import TrialRow, append_trial

NAMES = ("cafe-change", "cafe-charge", "fuel-cost", "fuel-tanks")


def make_task(folder: Path, name: str) -> Path:
    task = folder / name
    task.mkdir(parents=True)
    (task / "instruction.md").write_text(f"Fix {name}.\n")
    return task


def add_trial(run: RunDir, task: str, number: int, seen: list[str]) -> None:
    path = run.root / "trials" / f"{task}-{number}"
    path.mkdir(parents=True)
    messages = [{"role": "user", "content": "Fix it."}, *({"role": "tool", "content": text} for text in seen)]
    write_trajectory(path, [], messages, [])
    append_trial(
        run,
        TrialRow(
            time="2026-01-01T00:00:00.000Z",
            task=task,
            trial=path.name,
            split="val",
            step=0,
            weight_version=0,
            group="",
            outcome="solved",
            blame="",
            reward=1.0,
            turns=1,
            prompt_tokens=1,
            completion_tokens=1,
            sequences=1,
            tries=1,
            path=str(path.relative_to(run.root)),
        ),
    )


def test_each_task_gets_the_longest_observations_of_another_program(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "run")
    for name in NAMES:
        add_trial(run, name, 0, [])
        add_trial(run, name, 1, [f"{name} one", f"{name} two"])
    donors = swapped_observations(run, [make_task(tmp_path / "tasks", name) for name in NAMES])
    assert donors["Fix cafe-change."] == ["fuel-cost one", "fuel-cost two"]
    assert donors["Fix fuel-tanks."] == ["cafe-charge one", "cafe-charge two"]


def test_a_task_that_saw_nothing_is_named(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "run")
    add_trial(run, "fuel-cost", 0, [])
    with pytest.raises(ValueError, match="fuel-cost"):
        swapped_observations(run, [make_task(tmp_path, name) for name in NAMES])
