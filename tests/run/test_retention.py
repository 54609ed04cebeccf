"""Which checkpoints and trajectories stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from liverl.run.retention import newest_complete, prune_checkpoints, prune_tokens, superfluous
from tests.record.rows import trial_row


def checkpoints(folder: Path, steps: list[int], latest: int) -> Path:
    for step in steps:
        (folder / f"global_step_{step}").mkdir(parents=True)
        (folder / f"global_step_{step}" / "weights").write_text("w" * step)
    (folder / "latest_checkpointed_iteration.txt").write_text(str(latest))
    return folder


def left(folder: Path) -> list[int]:
    return sorted(int(path.name.removeprefix("global_step_")) for path in folder.glob("global_step_*"))


def test_the_newest_and_the_best_stay(tmp_path: Path) -> None:
    folder = checkpoints(tmp_path, [10, 20, 30, 40, 50], latest=50)
    removed = prune_checkpoints(folder, 2, {10: 0.1, 20: 0.9, 30: 0.5, 50: 0.4})
    assert left(folder) == [20, 40, 50]
    assert [(item.step, item.size_bytes) for item in removed] == [(10, 10), (30, 30)]
    assert list(folder.glob(".removing_*")) == []


def test_one_that_is_still_being_written_neither_counts_nor_goes(tmp_path: Path) -> None:
    folder = checkpoints(tmp_path, [10, 20, 30], latest=20)
    prune_checkpoints(folder, 1, {})
    assert left(folder) == [20, 30]


def test_the_only_one_stays_and_zero_keeps_all(tmp_path: Path) -> None:
    assert prune_checkpoints(checkpoints(tmp_path / "a", [10], latest=10), 1, {}) == []
    assert prune_checkpoints(checkpoints(tmp_path / "b", [1, 2, 3], latest=3), 0, {}) == []


def test_nothing_goes_while_none_is_declared_complete(tmp_path: Path) -> None:
    folder = checkpoints(tmp_path, [10, 20, 30], latest=40)
    assert newest_complete(folder) is None
    assert prune_checkpoints(folder, 1, {}) == []


@pytest.mark.parametrize("newest", [10, 20, 30])
def test_the_newest_never_goes(newest: int) -> None:
    assert newest not in superfluous([10, 20, 30], newest, 1, {10: 1.0})


def test_failed_and_validation_trials_keep_their_tokens(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "r")
    rows = [
        trial_row(path="trials/train/v0000/a"),
        trial_row(path="trials/train/v0000/b", outcome="timeout", blame="agent"),
        trial_row(path="trials/val/0010/c", split="val"),
        trial_row(path="../../outside"),
    ]
    for row in rows:
        folder = run.root / row.path
        folder.mkdir(parents=True)
        (folder / "trajectory.json.gz").write_bytes(b"12345")
    removal = prune_tokens(run, rows, 1)
    assert removal is not None
    assert (removal.count, removal.size_bytes) == (1, 5)
    there = [(run.root / row.path / "trajectory.json.gz").exists() for row in rows]
    assert there == [False, True, True, True]
