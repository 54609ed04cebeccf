"""Which run is meant."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from liverl.errors import RunError
from liverl.operate.find import Place, find_run, list_runs, nearest_config, roots
from liverl.run.roots import remember_root
from tests.operate.made import Made


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("LIVERL_RUNS", raising=False)


def launched(run_config: Path, at_s: float) -> None:
    os.utime(run_config, (at_s, at_s))


def test_a_given_root_is_the_only_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIVERL_RUNS", str(tmp_path / "env"))
    assert roots(Place(tmp_path, tmp_path / "given")) == [tmp_path / "given"]
    assert roots(Place(tmp_path)) == [tmp_path / "env"]


def test_the_nearest_config_upwards_names_the_root(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("experiment:\n  run_root: elsewhere\n")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert nearest_config(deep) == tmp_path / "config.yaml"
    assert roots(Place(deep))[0] == tmp_path / "elsewhere"


@pytest.mark.parametrize("text", ["experiment: [", "experiment: 3", "", "- 1"])
def test_a_broken_config_hides_no_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    assert roots(Place(tmp_path))[0] == tmp_path / "runs"


def test_without_a_config_runs_are_here_and_where_they_were_launched(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "here").mkdir()
    remember_root(tmp_path / "far")
    assert roots(Place(tmp_path / "here")) == [tmp_path / "here" / "runs", tmp_path / "far"]


def test_without_a_name_the_newest_live_run_is_meant_else_the_newest(made: Made, tmp_path: Path) -> None:
    live, newer, newest = made("live"), made("newer", state="stopped"), made("newest", state="finished")
    for number, run in enumerate((live, newer, newest)):
        launched(run.config, 1000.0 + number)
    place = Place(tmp_path)
    assert [run.name for run in list_runs(place)] == ["newest", "newer", "live"]
    assert find_run(None, place).name == "live"
    made("newest-of-all", state="finished")
    live.run_json.write_text(live.run_json.read_text().replace('"running"', '"stopped"'))
    assert find_run(None, place).name == "newest-of-all"


def test_a_name_its_beginning_or_a_path_find_a_run(made: Made, tmp_path: Path) -> None:
    run = made("alpha-1")
    made("beta-1")
    assert find_run("alpha-1", Place(tmp_path)).root == run.root
    assert find_run("al", Place(tmp_path)).root == run.root
    assert find_run(str(run.root), Place(Path("/"))).root == run.root


def test_an_unknown_or_ambiguous_name_is_an_error_that_lists_the_others(made: Made, tmp_path: Path) -> None:
    made("alpha-1")
    made("alpha-2")
    for name in ("alpha", "gamma"):
        with pytest.raises(RunError) as caught:
            find_run(name, Place(tmp_path))
        assert caught.value.code == "run.unknown"
        assert "alpha-1" in caught.value.evidence


def test_without_any_run_the_next_action_is_to_launch_one(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        find_run(None, Place(tmp_path))
    assert caught.value.code == "run.none"
    assert caught.value.next_action == "liverl run"


def test_a_name_means_this_folders_run_where_another_project_has_one_of_that_name(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = made("policy-shell-0101a").root
    own = tmp_path / "project" / "runs"
    own.mkdir(parents=True)
    shutil.copytree(there, own / there.name)
    remember_root(there.parent)
    remember_root(own)
    os.utime(there / "config.yaml")  # the other one was launched later
    assert find_run(there.name, Place(tmp_path / "project")).root == own / there.name
    assert find_run(there.name, Place(tmp_path)).root == there
    (tmp_path / "third").mkdir()
    monkeypatch.chdir(tmp_path / "third")
    with pytest.raises(RunError, match="Several runs are called") as caught:
        find_run(there.name, Place(tmp_path / "third"))
    assert str(there) in caught.value.evidence and str(own) in caught.value.evidence


def test_without_a_name_what_ends_a_run_takes_this_folders_own(made: Made, tmp_path: Path) -> None:
    there = made("policy-shell-0101a").root
    remember_root(there.parent)
    (tmp_path / "other").mkdir()
    assert find_run(None, Place(tmp_path / "other")).root == there
    with pytest.raises(RunError, match="no run of its own"):
        find_run(None, Place(tmp_path / "other"), only_own=True)
    assert find_run(None, Place(tmp_path), only_own=True).root == there


def test_a_name_of_any_length_gets_a_short_answer(made: Made) -> None:
    made("a")
    with pytest.raises(RunError) as caught:
        find_run("x" * 5000, Place(Path.cwd()))
    assert len(caught.value.message) < 250
