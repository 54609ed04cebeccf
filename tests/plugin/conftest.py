"""Where the tools that drive the plugin are, and a project that holds a finished run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.operate.made import Made, made
from tests.plugin.claude import ROOT

__all__ = ["made"]
NODE_TOOLS = ROOT / ".cache" / "node"
RUN, OTHER = "policy-shell-0102a", "policy-shell-0101a"
TRIAL = "task-a__1"


@pytest.fixture(scope="session")
def binary() -> Path:
    """LIVERL_CLAUDE_BINARY, else `claude` on PATH, else what scripts/setup_claude.sh installed."""
    installed = sorted(
        (ROOT / ".cache" / "claude").glob("node_modules/@anthropic-ai/claude-code-linux-*/claude")
    )
    named = os.environ.get("LIVERL_CLAUDE_BINARY") or shutil.which("claude") or next(map(str, installed), "")
    if not named or not Path(named).exists():
        pytest.skip("no claude binary; install it with: bash scripts/setup_claude.sh")
    return Path(named)


@pytest.fixture(scope="session")
def node_tools() -> Path:
    """The folder that scripts/setup_node_tools.sh has filled."""
    named = Path(os.environ.get("LIVERL_NODE_TOOLS") or NODE_TOOLS)
    if not (named / "node_modules" / ".bin" / "conformance").exists():
        pytest.skip(
            "no conformance suite and no Inspector; install them with: bash scripts/setup_node_tools.sh"
        )
    return named


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project folder; its user's home is beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def with_run(project: Path, made: Made) -> Path:
    """The project, with two finished runs of three steps; the newer one's log has ten lines."""
    steps = tuple((step, 0.2 * step) for step in range(1, 4))
    trials: tuple[dict[str, object], ...] = (
        {"trial": TRIAL, "task": "task-a", "outcome": "solved", "reward": 1.0},
    )
    for name in (OTHER, RUN):
        run = made(name, state="finished", steps=steps, trials=trials)
        log = run.attempt_log(1)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("".join(f"line {number}\n" for number in range(10)))
        run.latest_log.symlink_to(log.name)
    shutil.move(run.root.parent, project / "runs")
    return project
