"""A launch refers to a passed preflight by its fingerprint; what it hangs on, and how long it holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.operate import passes
from liverl.operate.check import Checked
from liverl.operate.find import Place
from liverl.operate.launch import Yes, profile_of, start
from liverl.operate.profile import Asked, Profile, read_profile
from liverl.preflight import Finding


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder with a config.yaml."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("LIVERL_RUNS", raising=False)
    for split in ("train", "val"):
        (tmp_path / "tasks" / split).mkdir(parents=True)
    (tmp_path / "config.yaml").write_text("profile: cpu\n")
    return tmp_path


def profile(site: Path, *settings: str) -> Profile:
    return read_profile(Asked(None, settings), Place(site))


def test_the_same_configuration_has_the_same_fingerprint(site: Path) -> None:
    assert passes.fingerprint(profile(site)) == passes.fingerprint(profile(site))
    assert passes.fingerprint(profile(site)) != passes.fingerprint(profile(site, "training.steps=3"))


def test_no_client_can_take_a_fingerprint_for_a_number(site: Path) -> None:
    marks = [passes.fingerprint(profile(site, f"training.steps={steps}")) for steps in range(1, 9)]
    assert all(len(mark) == 12 and not set(mark) & set("0123456789aeiou") for mark in marks), marks


def test_a_comment_changes_nothing_and_a_value_does(site: Path) -> None:
    before = passes.fingerprint(profile(site))
    with (site / "config.yaml").open("a") as config:
        config.write("# a thought\n")
    assert passes.fingerprint(profile(site)) == before
    with (site / "config.yaml").open("a") as config:
        config.write("rollout: {n: 4}\n")
    assert passes.fingerprint(profile(site)) != before


def test_a_pass_brings_back_what_was_asked_for_and_from_where(site: Path) -> None:
    mark = passes.remember(profile(site, "training.steps=7"), {"Model": "small"}).fingerprint
    again, passed = profile_of(mark)
    assert again.config.training.steps == 7 and passed.is_fresh
    assert passed.configuration == {"Model": "small"} and passed.place.cwd == site


def test_a_changed_configuration_is_not_the_one_that_passed(site: Path) -> None:
    mark = passes.remember(profile(site), {}).fingerprint
    (site / "config.yaml").write_text("profile: cpu\ntraining: {steps: 9}\n")
    with pytest.raises(RunError, match="not the one that was checked"):
        profile_of(mark)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"fingerprint": 1}', b"\xff\xfe\x00"])
def test_a_torn_pass_is_none(site: Path, content: bytes) -> None:
    mark = passes.remember(profile(site), {}).fingerprint
    passes._file(mark).write_bytes(content)
    assert passes.recall(mark) is None


def test_a_state_folder_that_cannot_be_written_keeps_no_check_from_passing(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(site / "config.yaml"))
    assert passes.remember(profile(site), {}).fingerprint


def test_what_another_check_sweeps_at_the_same_time_keeps_no_pass_from_being_kept(site: Path) -> None:
    passes._folder().mkdir(parents=True)
    # What the other one took between the listing and the look.
    passes._file("b" * 12).symlink_to(site / "gone")
    mark = passes.remember(profile(site), {}).fingerprint
    assert passes.recall(mark) is not None


def test_a_pass_of_long_ago_is_swept(site: Path) -> None:
    old = passes._file(passes.remember(profile(site, "training.steps=7"), {}).fingerprint)
    os.utime(old, (0, 0))
    passes.remember(profile(site), {})
    assert not old.exists()


def test_a_check_that_failed_or_was_of_something_else_starts_nothing(site: Path) -> None:
    asked = profile(site)
    failed = Checked((Finding("port:conflict", "fatal", "Taken", cure="Free it"),), passes.fingerprint(asked))
    with pytest.raises(RunError, match="Nothing was started"):
        start(asked, failed, Yes("prompt"))
    other = Checked((), passes.fingerprint(profile(site, "training.steps=3")))
    with pytest.raises(RunError, match="not the one that was checked"):
        start(asked, other, Yes("prompt"))
    assert not (site / "runs").exists()
