"""A folder of a run that a later attempt writes to is there again after it was emptied, however that went."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from liverl.run.removal import empty


def test_an_emptied_folder_is_there_and_empty(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "run")
    run.attempt_log(1).write_text("a line")
    empty(run, run.logs)
    assert list(run.logs.iterdir()) == []
    assert list(run.root.glob(".removing_*")) == []


def test_where_not_everything_can_be_removed_the_folder_is_there_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunDir.create(tmp_path / "run")
    run.attempt_log(1).write_text("a line")

    def scripted_rmtree(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", scripted_rmtree)
    with pytest.raises(PermissionError):
        empty(run, run.logs)
    assert list(run.logs.iterdir()) == []
