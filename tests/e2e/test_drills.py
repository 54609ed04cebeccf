"""Every drill as a user runs it: a real run that fails on purpose, and the right cause; and one that does not fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.operate.drill import rehearse
from liverl.operate.drill_form import Drill
from liverl.operate.drill_list import DRILLS, HEALTHY

pytestmark = [pytest.mark.fault, pytest.mark.slow]

LIMIT_S = 900.0
# A crash, a hang and what keeps a run from working have to be found so soon after they begin ...
SOON_S, SOON_STEPS = 60.0, 2
# ... and a failure of learning within so many steps.
LEARNING_STEPS = 15


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    return tmp_path_factory.mktemp("drills")


@pytest.mark.parametrize("drill", DRILLS.values(), ids=DRILLS)
def test_a_failure_made_on_purpose_is_diagnosed_with_its_cause(
    root: Path, drill: Drill, record_property: Callable[[str, object], None]
) -> None:
    command = [sys.executable, "-m", "liverl.cli", "drill", drill.name, "--run-root", str(root), "--json"]
    env = {**os.environ, "XDG_STATE_HOME": str(root / "state")}
    done = subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode in (0, 3), done.stderr
    told = json.loads(done.stdout)
    print(f"{drill.name}: {told['says']} ({told['after_s']} s, {told['after_steps']} steps after it began)")
    for figure in ("drill", "found", "after_s", "after_steps", "seconds"):
        record_property(figure, told[figure])
    assert told["found"] in drill.expects, told
    assert done.returncode == 0
    if drill.kind == "learning":
        assert told["after_steps"] <= LEARNING_STEPS
    else:
        assert told["after_s"] <= SOON_S or told["after_steps"] <= SOON_STEPS
    # Diagnosed as expected and not to be kept: nothing of the run is left.
    assert not (root / f"drill-{drill.name}").exists()


def test_nothing_is_found_in_a_long_run_that_is_healthy(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "state"))
    made = rehearse(HEALTHY, print, root=root, keep=True)
    print(made.says)
    assert made.found == ""
    assert made.says.startswith("healthy")
    assert made.after_steps == HEALTHY.steps
