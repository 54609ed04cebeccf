"""A check ends in its time whatever hangs, and says what that is."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from liverl.operate import passes
from liverl.operate.check import check, check_again, folded
from liverl.operate.find import Place
from liverl.operate.profile import Asked, read_profile
from liverl.preflight import Finding
from tests.e2e.painting import write_tasks


def test_a_check_ends_though_the_models_folder_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for folder in ("model", "tasks/train", "tasks/val"):
        (tmp_path / folder).mkdir(parents=True)
    os.mkfifo(tmp_path / "model" / "config.json")
    (tmp_path / "config.yaml").write_text(f"profile: cpu\nmodel: {{path: {tmp_path / 'model'}}}\n")
    began = time.monotonic()
    found = check(read_profile(Asked(), Place(tmp_path)))
    assert time.monotonic() - began < 10
    assert "place:hangs" in {finding.id for finding in found.blocking}
    assert not found.ok and found.configuration == {}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write_tasks(tmp_path / "tasks")
    (tmp_path / "config.yaml").write_text("profile: cpu\ntraining: {prompts_per_step: 4}\n")
    return tmp_path


def test_what_stood_out_in_a_fresh_pass_stands_out_before_the_launch(site: Path) -> None:
    profile = read_profile(Asked(), Place(site))
    told = Finding("chain:not_asked", "skipped", "Whether a call passes is not known yet").as_dict()
    passed = passes.remember(profile, {}, probed=True, findings=[told])
    found = check_again(profile, passed)
    assert "chain:not_asked" in {finding.id for finding in found.findings}
    assert "verl:accepts" not in {finding.id for finding in found.findings}, "a fresh pass asks verl no more"


def test_a_task_that_was_broken_since_a_fresh_pass_blocks(site: Path) -> None:
    profile = read_profile(Asked(), Place(site))
    passed = passes.remember(profile, {}, probed=True)
    shutil.rmtree(next((site / "tasks" / "train").iterdir()) / "tests")
    assert "task:no_tests" in {finding.id for finding in check_again(profile, passed).blocking}


def test_many_findings_of_one_kind_are_told_as_a_few_and_their_number() -> None:
    many = [Finding("task:oracle", "fatal", f"task {index} fails") for index in range(114)]
    kept = folded([*many, Finding("port:free", "info", "Ports are free")])
    assert len(kept) == 7 and "109 more" in kept[5].title and kept[-1].id == "port:free"


def test_the_next_command_starts_what_was_checked(site: Path) -> None:
    profile = read_profile(Asked(None, ("training.steps=3",), smoke=True), Place(site))
    assert check(profile, probe=False).command == "liverl run --set training.steps=3 --smoke"


def test_a_guard_that_would_never_stop_a_run_blocks_it(site: Path) -> None:
    profile = read_profile(Asked(assignments=("logging.stop_on=[policy:nan, policy:nna]",)), Place(site))
    found = check_again(profile, passes.remember(profile, {}, probed=True))
    (told,) = [finding for finding in found.blocking if finding.id == "guards:idle"]
    assert told.title.endswith("policy:nna")
