"""When a drill's failure begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.drill.onset import VARIABLE, Onset
from liverl.record.events import each_posted
from liverl.record.layout import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir.create(tmp_path / "run")


def test_it_begins_behind_its_step_for_every_process_and_is_told_once(run: RunDir) -> None:
    trainer, replica = Onset("nan", 3, run), Onset("nan", 3, run)
    assert not trainer.reach(2)
    assert not replica.has_come()
    assert trainer.reach(3)
    assert replica.has_come()
    assert replica.reach(4)
    told = [(event.kind, event.fields["drill"], event.fields["step"]) for event in each_posted(run)]
    assert told == [("drill", "nan", 3)]


def test_a_process_whose_environment_names_no_drill_belongs_to_none(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIVERL_RUN_DIR", str(run.root))
    monkeypatch.delenv(VARIABLE, raising=False)
    assert Onset.of_environment() is None
    monkeypatch.setenv(VARIABLE, "nan:3")
    assert Onset.of_environment() == Onset("nan", 3, run)
