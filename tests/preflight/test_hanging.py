"""Whatever hangs around a run, every question of this machine is answered in its time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from liverl.preflight import run_checks
from liverl.record.layout import RunDir
from tests.preflight.conftest import LAPTOP, MakeConfig
from tests.preflight.scripted_cluster import kubeconfig
from tests.preflight.scripted_programs import HANGING, PutProgram, put_program

__all__ = ["put_program"]

ASKED = ("packages", "sandbox", "job", "ports", "gpus", "kernel", "limits", "clock", "leftovers", "proxies",
         "variables", "places", "tracker")  # fmt: skip


@pytest.fixture
def hung(tmp_path: Path, put_program: PutProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    """nvidia-smi and kubectl that never answer, and a run whose file is never read to its end."""
    for name in ("nvidia-smi", "kubectl", "docker"):
        put_program(name, HANGING)
    run = RunDir.create(tmp_path / "runs" / "silent")
    run.attempt_plan(1).write_text("{}")
    os.mkfifo(run.run_json)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig(tmp_path, 1)))


@pytest.mark.usefixtures("hung")
def test_every_question_is_answered_though_drivers_cluster_and_mount_hang(make_config: MakeConfig) -> None:
    config = make_config(engine={"rollout": "vllm"}, sandbox={"backend": "kubernetes"})
    began = time.monotonic()
    findings = run_checks(config, LAPTOP, only=ASKED, timeout_s=5.0)
    assert time.monotonic() - began < 12
    found = {finding.id: finding.severity for finding in findings}
    expected = {"gpu:unknown": "skipped", "job:unknown": "skipped", "kubernetes:unreachable": "fatal"}
    assert expected.items() <= found.items()
    assert not [id_ for id_ in found if id_.endswith(":timeout")]
