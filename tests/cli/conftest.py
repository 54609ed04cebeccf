"""The command line as a process, and runs whose data plane is scripted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig, render_resolved
from liverl.operate.planning import plan_attempt
from liverl.record.layout import RunDir
from liverl.run.launch import LaunchOrder, launch
from tests.e2e.painting import write_tasks
from tests.operate.made import made
from tests.run.scripted import TRAINER

__all__ = ["made"]

REPOSITORY = Path(__file__).resolve().parents[2]
# An interpreter for `environment.venv` that plays the trainer and the door, and is Python for the rest.
STAND_IN = """#!/bin/sh
case "$2" in
  liverl.engine.boot) exec {python} {trainer} ;;
  liverl.gateway.door) exec sleep 600 ;;
  *) exec {python} "$@" ;;
esac
"""

Liverl = Callable[..., subprocess.CompletedProcess[str]]
ScriptedRun = Callable[..., RunDir]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "liverl.cli", *arguments]


@pytest.fixture
def liverl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Liverl:
    """Runs `liverl` in an empty folder, with a state folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.delenv("LIVERL_RUNS", raising=False)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=tmp_path,
            timeout=120, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def scripted_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, painter: Path) -> ScriptedRun:
    """Launches a run whose trainer follows a script, now and when it is resumed, which real checks precede."""
    write_tasks(tmp_path / "tasks")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(STAND_IN.format(python=sys.executable, trainer=TRAINER))
    python.chmod(0o755)

    def start(**script: Any) -> RunDir:
        monkeypatch.setitem(os.environ, "SCRIPT", json.dumps(script))
        config = RunConfig.model_validate(
            {
                "environment": {"venv": str(tmp_path / "venv")},
                "experiment": {"run_root": str(tmp_path / "runs")},
                "model": {"path": str(painter)},
                "data": {"train": str(tmp_path / "tasks" / "train"), "val": str(tmp_path / "tasks" / "val")},
                "training": {"steps": script.get("total", script.get("steps", 3)), "prompts_per_step": 4},
                "rollout": {"n": 4, "max_prompt_length": 256, "max_response_length": 384},
                "infrastructure": {"litellm_port": 28002, "ray_port": 26379, "ray_dashboard_port": 28265},
            }
        )
        return launch(
            LaunchOrder(
                root=tmp_path / "runs",
                config_text="profile: cpu\n",
                resolved_text=lambda run: render_resolved(config, {}),
                plan=lambda run: plan_attempt(config, run),
                ports={},
                python=str(python),
            )
        )

    return start
