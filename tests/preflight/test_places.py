"""Every folder that a run writes to is tried beforehand, and nothing is made for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.overrides import verl_value
from liverl.preflight.places import check_places, wanted
from tests.preflight.conftest import MakeConfig

MakeContext = Callable[..., Context]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_text("")
    return path


@pytest.mark.parametrize(
    "verl", [{"trainer.default_local_dir": "X"}, {"trainer": {"default_local_dir": "X"}}]
)
def test_checkpoints_that_verl_was_told_to_put_elsewhere_are_tried(
    make_context: MakeContext, file: Path, verl: dict[str, object]
) -> None:
    where = str(file / "checkpoints")
    told = (
        {"trainer.default_local_dir": where}
        if "trainer" not in verl
        else {"trainer": {"default_local_dir": where}}
    )
    (finding,) = check_places(make_context(verl=told))
    assert (finding.id, finding.severity) == ("place:not_writable", "fatal")
    assert finding.title == "verl.trainer.default_local_dir can't be written"


def test_a_relative_folder_of_checkpoints_lies_in_the_run(make_config: MakeConfig) -> None:
    assert "verl.trainer.default_local_dir" not in wanted(
        make_config(verl={"trainer.default_local_dir": "checkpoints/x"})
    )


def test_checkpoints_that_are_a_link_to_another_disk_are_tried_there(
    make_context: MakeContext, tmp_path: Path, file: Path
) -> None:
    run = tmp_path / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "checkpoints").symlink_to(file / "gone")
    (finding,) = check_places(make_context(experiment={"name": "mine"}))
    assert finding.id == "place:not_writable"
    assert str(file) in finding.evidence


def test_a_temporary_folder_that_can_not_be_made_is_fatal(make_context: MakeContext, file: Path) -> None:
    findings = check_places(make_context(infrastructure={"temp_dir": str(file / "x")}))
    assert "infrastructure.temp_dir can't be written" in [finding.title for finding in findings]


def test_a_temporary_folder_too_long_for_sockets_is_fatal_and_the_longest_that_is_not_is_fine(
    make_context: MakeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = "/tmp/".ljust(43, "x")
    (finding,) = check_places(make_context(infrastructure={"temp_dir": longest + "x"}))
    assert (finding.id, finding.severity) == ("place:too_long", "fatal")
    assert "at most 43 bytes" in finding.cure
    (finding,) = check_places(make_context(infrastructure={"temp_dir": longest}))
    assert finding.id == "place:writable"


def test_a_key_of_verl_is_found_dotted_nested_and_mixed(make_config: MakeConfig) -> None:
    for tree in ({"a.b.c": 1}, {"a": {"b": {"c": 1}}}, {"a": {"b.c": 1}}, {"a.b": {"c": 1}}):
        assert verl_value(make_config(verl=tree), "a.b.c") == 1
    assert verl_value(make_config(verl={"a": {"b": 2}}), "a.b.c") is None
