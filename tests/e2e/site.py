"""A folder as a user would have one: a config.yaml, tasks, a policy, and `liverl` as a process in it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from liverl.record.layout import RunDir
from tests.e2e.painting import write_tasks

REPOSITORY = Path(__file__).resolve().parents[2]
Settings = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Site:
    """The folder; its runs are in `runs`."""

    root: Path

    @property
    def runs(self) -> Path:
        """Where runs go."""
        return self.root / "runs"

    def run_dir(self, name: str) -> RunDir:
        """A run of this folder."""
        return RunDir(self.runs / name)

    def configure(self, settings: Settings) -> None:
        """Writes config.yaml: the settings over those of a small run on ports that are free now."""
        sections = _small_run(self.root)
        for name, values in settings.items():
            sections.setdefault(name, {}).update(values)
        (self.root / "config.yaml").write_text(yaml.safe_dump({"profile": "cpu", **sections}))

    def liverl(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """`liverl` to its end."""
        return subprocess.run(
            _command(arguments),
            cwd=self.root,
            env=self._environment(env),
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    def start(self, *arguments: str, output: Path) -> subprocess.Popen[str]:
        """`liverl` as a process of its own group, both streams going to a file."""
        with output.open("w") as stream:
            return subprocess.Popen(
                _command(arguments),
                cwd=self.root,
                env=self._environment({}),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def _environment(self, env: Mapping[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LIVERL_")}
        state = str(self.root / "state")
        return {**kept, "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": state, **env}


def make_site(root: Path, policy: Path, settings: Settings) -> Site:
    """A folder with tasks and a config.yaml that names the policy."""
    root.mkdir(parents=True, exist_ok=True)
    write_tasks(root / "tasks")
    site = Site(root)
    site.configure({"model": {"path": str(policy)}, **settings})
    return site


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on now, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def end(process: subprocess.Popen[str], number: signal.Signals = signal.SIGKILL) -> None:
    """Signal a process unless it has ended."""
    if process.poll() is None:
        process.send_signal(number)


def _command(arguments: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "liverl.cli", *arguments]


def _small_run(root: Path) -> dict[str, dict[str, Any]]:
    door, ray, dashboard = free_ports(3)
    return {
        "experiment": {"run_root": str(root / "runs")},
        "data": {"train": str(root / "tasks" / "train"), "val": str(root / "tasks" / "val")},
        "infrastructure": {"litellm_port": door, "ray_port": ray, "ray_dashboard_port": dashboard},
        # As many threads as cores only wait for each other in so small a model.
        "engine": {"cpu_threads": 1},
        "training": {"steps": 3, "prompts_per_step": 4, "micro_batch_size": 16, "test_freq": 3},
        "rollout": {"n": 4, "val_n": 2, "max_prompt_length": 256, "max_response_length": 384},
        "scaffold": {"max_turns": 4, "max_tokens_per_turn": 64},
        "trial": {"concurrency": 8},
    }
