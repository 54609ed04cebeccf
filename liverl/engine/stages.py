"""Tells the run how its boot gets on, from the processes in which it happens.

ray_works       once an attempt, from the first of Ray's workers that has loaded verl
replica_serves  from the process that starts the replicas, one by one
told            verl's class of replica, which then tells the same
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from liverl.record.events import post_event
from liverl.record.layout import RunDir

# What Ray's raylet puts into the environment of its workers, and of nothing else.
_RAY_WORKER = "RAY_RAYLET_PID"

_serving: set[int] = set()
"""The replicas that this process has started: verl starts all of them in one."""


def ray_works() -> None:
    """Post that Ray is up and models are loaded from now on, if this is the attempt's first worker to find that."""
    if _RAY_WORKER not in os.environ or (run := _run()) is None:
        return
    attempt = os.environ.get("LIVERL_ATTEMPT", "1")
    try:
        # Only one process can make it, and a resumed attempt makes another.
        os.close(os.open(run.scratch / f"ray_{attempt}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:  # another worker was first, or on another machine there is no such folder
        return
    _post(run, message="Ray is up, the models are loaded", ready=0)


def replica_serves(rank: int, model: str) -> None:
    """Post that a replica serves, and how many of all do by now."""
    _serving.add(rank)
    if (run := _run()) is not None:
        _post(run, message=f"replica {rank} serves {model}", ready=len(_serving))


def told(kind: type[Any]) -> type[Any]:
    """A class of verl's replicas that posts when its servers are up, and is the same otherwise."""

    async def launch_servers(self: Any) -> None:
        await kind.launch_servers(self)
        model = self.model_config
        replica_serves(self.replica_rank, str(model.path if hasattr(model, "path") else model["path"]))

    return type(kind.__name__, (kind,), {"launch_servers": launch_servers})


def _run() -> RunDir | None:
    run_dir = os.environ.get("LIVERL_RUN_DIR")
    return RunDir(Path(run_dir)) if run_dir else None


def _post(run: RunDir, *, message: str, ready: int) -> None:
    of = int(os.environ.get("LIVERL_REPLICAS", "1"))
    with contextlib.suppress(OSError):  # a full disk must not end a boot
        post_event(run, "boot", stage="replicas", ready=ready, of=of, message=message)
