"""Prepares an attempt's inputs and becomes the trainer: `python -m liverl.engine.boot RUN_DIR`."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from liverl.config import RunConfig
from liverl.config.parallel import Parallel
from liverl.engine.command import VerlCommand, compose, temp_dir, thread_environment
from liverl.engine.first_policy import ensure_policy
from liverl.engine.tables import AGENT_NAME, write_table
from liverl.errors import LiveRLError, RunError
from liverl.record.events import post_event
from liverl.record.layout import RunDir

AGENT_LOOP = f"- name: {AGENT_NAME}\n  _target_: liverl.engine.agent_loop.TrialLoop\n"


def prepare(run: RunDir, config: RunConfig, attempt: int) -> VerlCommand:
    """Write task tables and agent-loop registration into the run directory; returns the command to run."""
    command = compose(config, run.root, attempt)
    command.cwd.mkdir(parents=True, exist_ok=True)
    own_folder(run.scratch)
    temp_dir(config, run).mkdir(mode=0o700, parents=True, exist_ok=True)
    write_table(config.data.train, "train", run.data / "train.parquet")
    write_table(config.data.val, "val", run.data / "val.parquet")
    (run.data / "agent_loop.yaml").write_text(AGENT_LOOP)
    message = "tasks are in tables, verl starts Ray (about half a minute)"
    post_event(run, "boot", attempt=attempt, stage="ray", message=message)
    return command


def replicas(config: RunConfig) -> int:
    """How many replicas verl starts, section `verl` included; at least one."""
    return max(1, Parallel.of(config).replicas)


def own_folder(path: Path) -> None:
    """Make a folder that is this user's alone; RunError where somebody else was there first, its name being known."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = path.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
            return
        raise RunError(
            "run.scratch_taken",
            f"{path} is there already, and is not a folder of this user's alone.",
            evidence=f"{stat.filemode(found.st_mode)}, owned by user {found.st_uid}",
            next_action=f"rm -r {path}",
        ) from None


def main() -> None:
    """Replace this process by verl's, so that the pid the supervisor recorded is the trainer's."""
    run = RunDir(Path(sys.argv[1]).resolve())
    config = RunConfig.read_resolved(run.resolved)
    attempt = int(os.environ.get("LIVERL_ATTEMPT", "1"))
    try:
        ensure_policy(run, config, attempt)
    except LiveRLError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    command = prepare(run, config, attempt)
    environment = {**os.environ, "LIVERL_REPLICAS": str(replicas(config)), **command.env}
    if config.engine.rollout == "cpu":
        environment |= thread_environment(config, len(os.sched_getaffinity(0)))
        environment.pop("CUDA_VISIBLE_DEVICES", None)  # set but empty, Ray sees no logical device either
    os.chdir(command.cwd)
    os.execve(command.argv[0], command.argv, environment)


if __name__ == "__main__":
    main()
