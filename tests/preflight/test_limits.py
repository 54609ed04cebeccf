"""Limits of files, processes and shared memory are judged by what the run and Ray ask for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.limits import Limits, check_limits, judge_limits, read_limits, store_bytes
from liverl.preflight.room import Room, all_threads, pids_cgroups, process_rooms, threads_of
from tests.preflight.conftest import MakeConfig

MakeContext = Callable[..., Context]
ROOM = Room("pids.max of /x", 100_000, 100, "raise it")
PLENTY = Limits(65536, 65536, (ROOM,), 64 * 10**9, 60 * 10**9, 100 * 10**9)
GPUS: dict[str, dict[str, object]] = {"engine": {"rollout": "vllm"}, "infrastructure": {"gpus_per_node": 8}}


def ids(config: object, limits: Limits) -> list[tuple[str, str]]:
    return [(each.id, each.severity) for each in judge_limits(config, limits)]  # type: ignore[arg-type]


def test_plenty_is_enough_and_told_with_figures(make_config: MakeConfig) -> None:
    (finding,) = judge_limits(make_config(), PLENTY)
    assert (finding.id, finding.severity) == ("limits:enough", "info")
    assert "100 of 100000 processes (pids.max of /x)" in finding.evidence
    assert "60.0 GB free of 64.0 GB" in finding.evidence


@pytest.mark.parametrize(
    ("soft", "hard", "id_"),
    [(1024, 2048, "limits:files"), (1024, 524288, "limits:enough"), (4096, 4096, "limits:enough")],
)
def test_open_files_are_judged_as_ray_raises_them(
    make_config: MakeConfig, soft: int, hard: int, id_: str
) -> None:
    assert ids(make_config(), replace(PLENTY, files_soft=soft, files_hard=hard))[0][0] == id_


def test_sandboxes_that_could_take_more_processes_than_are_left_are_a_warning(
    make_config: MakeConfig,
) -> None:
    config = make_config(trial={"concurrency": 16}, sandbox={"processes": 64})
    (finding,) = judge_limits(config, replace(PLENTY, processes=(ROOM, Room("ulimit -u", 1124, 200, "c"))))
    assert (finding.id, finding.severity) == ("limits:processes", "warn")
    assert "200 of 1124 processes (ulimit -u)" in finding.evidence
    assert finding.cure == "c, or set trial.concurrency to 14"


def test_a_small_shared_memory_sends_rays_store_to_the_disk(make_config: MakeConfig) -> None:
    small = replace(PLENTY, shm_bytes=64 << 20, shm_free_bytes=64 << 20)
    assert ids(make_config(), small) == [("shm:small", "warn")]


def test_a_store_that_ray_refuses_is_fatal(make_config: MakeConfig) -> None:
    asked = make_config(verl={"ray_kwargs": {"ray_init": {"object_store_memory": 80 * 10**9}}})
    assert ids(asked, PLENTY) == [("shm:small", "fatal")]


def test_several_gpus_want_what_nccl_asks_for(make_config: MakeConfig) -> None:
    tight = replace(PLENTY, shm_bytes=512 << 20, shm_free_bytes=512 << 20, available_bytes=10**9)
    assert ids(make_config(**GPUS), tight) == [("shm:small", "warn")]
    assert ids(make_config(), replace(tight, shm_free_bytes=600 << 20)) == [("limits:enough", "info")]


def test_the_store_is_as_large_as_ray_would_make_it(make_config: MakeConfig) -> None:
    assert store_bytes(make_config(), PLENTY) == 512 << 20
    assert store_bytes(make_config(**GPUS), PLENTY) == 30 * 10**9
    assert store_bytes(make_config(**GPUS), replace(PLENTY, shm_free_bytes=10**9)) == 10**10
    assert store_bytes(make_config(verl={"ray_kwargs.ray_init.object_store_memory": 7}), PLENTY) == 7


def test_a_kernel_that_promises_nothing_is_a_warning(make_config: MakeConfig) -> None:
    assert ids(make_config(), replace(PLENTY, overcommit=2)) == [("limits:overcommit", "warn")]


def test_this_machines_limits_are_read(make_context: MakeContext) -> None:
    limits = read_limits()
    assert limits.files_soft > 0 and limits.shm_bytes > 0
    assert all(room.free > 0 for room in limits.processes)
    assert check_limits(make_context())


def test_a_lowered_limit_of_files_is_seen() -> None:
    program = "from liverl.preflight.limits import read_limits\nprint(read_limits().files_hard)"
    done = subprocess.run(
        ["bash", "-c", f'ulimit -n 777; exec "{sys.executable}" -c "$0"', program],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "777\n"


def test_threads_are_counted() -> None:
    assert 1 <= threads_of(os.getuid()) <= all_threads() + 200
    assert all(room.limit > 0 for room in process_rooms())


def test_the_cgroups_around_a_process_are_found_in_both_versions(tmp_path: Path) -> None:
    first = "9:name=systemd:/\n8:pids:/docker/abc\n4:memory:/m\n0::/\n"
    assert list(pids_cgroups(first, tmp_path)) == [
        tmp_path / "pids" / "docker" / "abc",
        tmp_path / "pids" / "docker",
        tmp_path / "pids",
    ]
    (tmp_path / "cgroup.controllers").touch()
    assert list(pids_cgroups("0::/user.slice/a\n", tmp_path)) == [
        tmp_path / "user.slice" / "a",
        tmp_path / "user.slice",
        tmp_path,
    ]
