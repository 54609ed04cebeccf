"""What the data plane tells of its boot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.engine import stages
from liverl.engine.boot import replicas
from liverl.record.events import Event, each_posted
from liverl.record.layout import RunDir


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDir:
    run = RunDir.create(tmp_path / "r")
    monkeypatch.setenv("LIVERL_RUN_DIR", str(run.root))
    monkeypatch.setenv("LIVERL_REPLICAS", "2")
    monkeypatch.setattr(stages, "_serving", set())
    return run


def posted(run: RunDir) -> list[Event]:
    return list(each_posted(run))


def test_only_the_first_of_rays_workers_tells_and_each_attempt_anew(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(RunDir, "scratch", tmp_path)
    stages.ray_works()
    assert posted(run) == []  # the driver is no worker
    monkeypatch.setenv("RAY_RAYLET_PID", "1")
    for attempt in ("1", "1", "2"):
        monkeypatch.setenv("LIVERL_ATTEMPT", attempt)
        stages.ray_works()
    told = posted(run)
    assert [(event.fields["stage"], event.fields["ready"], event.fields["of"]) for event in told] == [
        ("replicas", 0, 2)
    ] * 2


def test_replicas_are_counted_as_they_begin_to_serve(run: RunDir) -> None:
    for rank in (1, 0):
        stages.replica_serves(rank, "/model")
    assert [
        (event.fields["ready"], event.fields["of"], event.fields["message"]) for event in posted(run)
    ] == [
        (1, 2, "replica 1 serves /model"),
        (2, 2, "replica 0 serves /model"),
    ]


async def test_a_replica_of_verls_tells_once_its_servers_are_up(run: RunDir) -> None:
    class ScriptedReplica:
        replica_rank = 0
        model_config = {"path": "/model"}  # noqa: RUF012

        async def launch_servers(self) -> None:
            assert posted(run) == []

    await stages.told(ScriptedReplica)().launch_servers()
    assert [event.fields["ready"] for event in posted(run)] == [1]


def test_without_a_gpu_plug_in_verls_own_replicas_are_told_of() -> None:
    look = (
        "import verl\nfrom verl.workers.rollout import replica\n"
        "print(replica.RolloutReplicaRegistry._registry['vllm'].__module__)"
    )
    env = {**os.environ, "VERL_USE_EXTERNAL_MODULES": "liverl.engine.plugin"}
    env.pop("VERL_PLATFORM", None)
    found = subprocess.run(
        [sys.executable, "-c", look], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.split()[-1] == "liverl.engine.plugin"


def test_the_replicas_are_all_devices_by_those_of_one() -> None:
    plain = {"infrastructure": {"nnodes": 1, "gpus_per_node": 8}, "engine": {"tensor_parallel": 4}}
    assert replicas(RunConfig.model_validate(plain)) == 2
    assert replicas(RunConfig()) == 1
