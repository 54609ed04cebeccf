"""Becomes the trainer of a drill's run: as `liverl.engine.boot`, with the drill's plugin beside the engine's.

`python -m liverl.drill.boot RUN_DIR`
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from liverl.config import RunConfig
from liverl.engine.boot import prepare, replicas
from liverl.engine.command import thread_environment
from liverl.record.layout import RunDir

PLUGIN = "liverl.drill.plugin"


def main() -> None:
    """Replace this process by verl's; the policy is there, since a drill makes it before it launches."""
    run = RunDir(Path(sys.argv[1]).resolve())
    config = RunConfig.read_resolved(run.resolved)
    command = prepare(run, config, int(os.environ.get("LIVERL_ATTEMPT", "1")))
    modules = f"{command.env['VERL_USE_EXTERNAL_MODULES']},{PLUGIN}"
    environment = {
        **os.environ,
        "LIVERL_REPLICAS": str(replicas(config)),
        **command.env,
        **thread_environment(config, len(os.sched_getaffinity(0))),
        "VERL_USE_EXTERNAL_MODULES": modules,
    }
    environment.pop("CUDA_VISIBLE_DEVICES", None)  # set but empty, Ray sees no logical device either
    os.chdir(command.cwd)
    os.execve(command.argv[0], command.argv, environment)


if __name__ == "__main__":
    main()
