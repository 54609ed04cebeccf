"""A drill that is told to end leaves nothing alive."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liverl.record.layout import RunDir
from liverl.record.runfile import read_run
from liverl.run.leftovers import end_leftovers
from liverl.run.processes import start_ticks
from tests.run.scripted import TRAINER, all_gone, made_pids, until

# The command itself; only its engine is a scripted one.
DRILLER = """
import sys
from pathlib import Path
from types import SimpleNamespace
from liverl.cli.main import main
from liverl.operate import drill
from liverl.record.plan import AttemptPlan
from liverl.run.launch import LaunchOrder

root, trainer, script = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def plan(run):
    return AttemptPlan(attempt=1, name=run.name, steps=100_000, trainer=(sys.executable, trainer), door=(),
                       env={"SCRIPT": script}, ports={}, keep_checkpoints=2, grace_s=2.0, term_s=0.5)

drill.make_world = lambda root, chosen, tell: SimpleNamespace(profile=SimpleNamespace(config=None))
drill.order_of = lambda world, around: LaunchOrder(root, "profile: cpu\\n", lambda run: "", plan, {}, name="d")
sys.exit(main(["drill", "killed-worker", "--run-root", str(root)]))
"""


@pytest.fixture
def driller(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed: bash scripts/setup_sandbox.sh")
    root = tmp_path / "runs"
    script = json.dumps({"steps": 100_000, "pause_s": 600.0})
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    process = subprocess.Popen(
        [sys.executable, "-c", DRILLER, str(root), str(TRAINER), script],
        env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    if (root / "d").is_dir():
        end_leftovers(RunDir(root / "d"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_drill_that_is_told_to_end_ends_its_run_first(
    number: signal.Signals, driller: subprocess.Popen[str], tmp_path: Path
) -> None:
    run = RunDir(tmp_path / "runs" / "d")
    until(run.run_json.exists, 60.0)
    pids = made_pids(run)
    supervisor = read_run(run).last.process("supervisor")
    assert supervisor is not None and not all_gone(pids)
    driller.send_signal(number)
    assert driller.wait(100.0) == 130
    assert all_gone(pids) and start_ticks(supervisor.pid) != supervisor.start_ticks


def test_a_drill_that_is_told_twice_ends_its_run_all_the_same(
    driller: subprocess.Popen[str], tmp_path: Path
) -> None:
    run = RunDir(tmp_path / "runs" / "d")
    until(run.run_json.exists, 60.0)
    driller.send_signal(signal.SIGTERM)  # the launch may be under way: then it is heard behind it
    driller.send_signal(signal.SIGHUP)
    driller.send_signal(signal.SIGINT)
    driller.wait(100.0)
    pids = (
        [int(line) for line in (run.data / "pids").read_text().split()]
        if (run.data / "pids").exists()
        else []
    )
    assert all_gone(pids)
    assert read_run(run).last.process("supervisor") is not None
