"""Where runs were launched."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, write_plan
from liverl.run.roots import known_roots, remember_root, runs_in


def test_the_newest_root_comes_first_and_each_stands_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert known_roots() == []
    for name in ("a", "b", "a"):
        (tmp_path / name).mkdir(exist_ok=True)
        remember_root(tmp_path / name)
    assert known_roots() == [tmp_path / "a", tmp_path / "b"]
    (tmp_path / "a").rmdir()
    assert known_roots() == [tmp_path / "b"]


def test_a_state_folder_that_cannot_be_made_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    remember_root(tmp_path)
    assert known_roots() == []


def test_only_folders_that_were_launched_are_runs(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "r")
    (tmp_path / "other").mkdir()
    assert runs_in(tmp_path) == []
    write_plan(run, AttemptPlan(1, "r", 1, ("x",)))
    assert runs_in(tmp_path) == [run]
    assert runs_in(tmp_path / "missing") == []
