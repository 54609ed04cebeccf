"""A project whose preflight has passed, and a small real run in it: scripted trainer, real supervisor."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from liverl.operate import passes
from liverl.operate.find import Place
from liverl.operate.profile import Asked, read_profile
from tests.e2e.painting import write_tasks
from tests.run.scripted import TRAINER

SCRIPT = {"steps": 0, "end": "hang", "stubborn": False, "stages": [{"stage": "ray"}]}
_SMALL = "training: {prompts_per_step: 4}"
# What the data plane's interpreter would run; all else (the supervisor, the questions) runs as it is.
PYTHON = f"""#!/bin/sh
case "$*" in
*liverl.gateway.door*) exec sleep 600 ;;
*liverl.engine.boot*) SCRIPT={shlex.quote(json.dumps(SCRIPT))} exec {sys.executable} {TRAINER} ;;
esac
exec {sys.executable} "$@"
"""


def pass_preflight(project: Path, home: Path, ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a config.yaml and remember its preflight as passed, for programs with that home; its fingerprint."""
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ".local" / "state"))
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)
    write_tasks(project / "tasks")
    litellm, ray = ports
    ports_of_its_own = f"infrastructure: {{litellm_port: {litellm}, ray_port: {ray}}}"
    tasks = "data: {train: tasks/train, val: tasks/val}"
    (project / "config.yaml").write_text(f"profile: cpu\n{ports_of_its_own}\n{tasks}\n{_SMALL}\n")
    profile = read_profile(Asked(), Place(project))
    return passes.remember(profile, {"model": "scripted-policy", "steps": "0"}, probed=True).fingerprint
