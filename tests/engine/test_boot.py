"""The folder for sockets is this user's alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.engine.boot import own_folder, replicas
from liverl.engine.command import temp_dir
from liverl.errors import RunError
from liverl.record.layout import RunDir


def test_it_is_made_private_and_taken_again_by_a_later_attempt(tmp_path: Path) -> None:
    for _ in range(2):
        own_folder(tmp_path / "scratch")
    assert stat.S_IMODE((tmp_path / "scratch").stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["link", "file", "open"])
def test_what_somebody_else_may_have_put_there_is_refused(tmp_path: Path, kind: str) -> None:
    scratch = tmp_path / "scratch"
    if kind == "link":
        (tmp_path / "theirs").mkdir(mode=0o700)
        scratch.symlink_to(tmp_path / "theirs")
    elif kind == "file":
        scratch.write_text("")
    else:
        scratch.mkdir()
        scratch.chmod(0o777)
    with pytest.raises(RunError, match="scratch_taken"):
        own_folder(scratch)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_users_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir(mode=0o700)
    os.chown(tmp_path / "scratch", 65534, 65534)
    with pytest.raises(RunError, match="owned by user 65534"):
        own_folder(tmp_path / "scratch")


def test_the_replicas_that_a_boot_waits_for_are_those_of_section_verl() -> None:
    hardware, engine = {"nnodes": 1, "gpus_per_node": 8}, {"rollout": "vllm", "tensor_parallel": 2}
    verl = {"actor_rollout_ref.rollout.data_parallel_size": 2}
    sections = {"infrastructure": hardware, "engine": engine}
    assert replicas(RunConfig.model_validate(sections)) == 4
    assert replicas(RunConfig.model_validate({**sections, "verl": verl})) == 2


def test_ray_opens_no_more_than_a_folder_in_it(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    assert temp_dir(RunConfig(), run).parent == run.scratch
