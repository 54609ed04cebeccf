"""Disk, memory and places: numbers in, findings with those numbers out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.disk import check_disk, judge_disk
from liverl.preflight.memory import check_memory, judge_memory
from liverl.preflight.places import check_places
from liverl.preflight.trackers import judge_wandb
from liverl.preflight.weights import count_parameters
from tests.preflight.conftest import MakeConfig

MakeContext = Callable[..., Context]
MakeModel = Callable[..., Path]


def test_parameters_are_counted_from_headers(make_model: MakeModel, tmp_path: Path) -> None:
    assert count_parameters(make_model(tmp_path / "m", parameters=1_000_000_000)) == 1_000_000_000


def test_a_disk_without_room_for_two_checkpoints_is_fatal(
    make_config: MakeConfig, make_model: MakeModel, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "m", parameters=1_000_000_000)
    config = make_config(model={"path": str(folder)})
    (finding,) = judge_disk(config, 20_000_000_000, tmp_path)
    assert (finding.id, finding.severity) == ("disk:full", "fatal")
    assert "1000.0 million parameters make a checkpoint of 12.0 GB" in finding.evidence


def test_a_disk_that_may_fill_up_is_a_warning(
    make_config: MakeConfig, make_model: MakeModel, tmp_path: Path
) -> None:
    config = make_config(model={"path": str(make_model(tmp_path / "m", parameters=1_000_000_000))})
    (finding,) = judge_disk(config, 40_000_000_000, tmp_path)
    assert (finding.id, finding.severity) == ("disk:low", "warn")


def test_this_machines_disk_is_read(make_context: MakeContext) -> None:
    (finding,) = check_disk(make_context())
    assert finding.id.startswith("disk:")


@pytest.mark.parametrize(
    ("available", "id_"), [(3e9, "memory:short"), (6e9, "memory:tight"), (24e9, "memory:enough")]
)
def test_memory_is_judged_by_what_trainer_and_sandboxes_take(
    make_config: MakeConfig, available: float, id_: str
) -> None:
    (finding,) = judge_memory(make_config(), int(available))
    assert finding.id == id_
    assert f"{available / 1e9:.1f} GB" in finding.evidence


def test_this_machines_memory_is_read(make_context: MakeContext) -> None:
    (finding,) = check_memory(make_context())
    assert "0.0 GB can be taken" not in finding.evidence


def test_a_run_root_that_is_a_file_is_fatal(make_context: MakeContext, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    (finding,) = check_places(make_context())
    assert (finding.id, finding.severity) == ("place:not_writable", "fatal")
    assert "experiment.run_root" in finding.cure


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_run_root_without_rights_is_fatal(make_context: MakeContext, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir(mode=0o500)
    (finding,) = check_places(make_context())
    assert finding.id == "place:not_writable"


def test_looking_makes_no_folder(make_context: MakeContext, tmp_path: Path) -> None:
    check_places(make_context())
    assert not (tmp_path / "runs").exists()


def test_an_online_tracker_needs_a_key_and_never_shows_it(tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    (without,) = judge_wandb("online", {}, netrc)
    assert (without.id, without.severity) == ("wandb:no_key", "fatal")
    (with_key,) = judge_wandb("online", {"WANDB_API_KEY": "very-secret"}, netrc)
    assert with_key.severity == "info" and "very-secret" not in str(with_key)
    netrc.write_text("machine api.wandb.ai password x")
    assert judge_wandb("online", {}, netrc)[0].severity == "info"
    assert judge_wandb("offline", {}, tmp_path / "none")[0].severity == "info"
