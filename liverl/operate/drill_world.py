"""Where a drill's run is made: its tasks, policy and configuration, and what is wrong around it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from liverl.config import render_resolved
from liverl.errors import RunError
from liverl.operate.dataplane import Relay, relay
from liverl.operate.drill_form import NEVER, Drill
from liverl.operate.find import Place
from liverl.operate.planning import plan_attempt, ports_of, python_of
from liverl.operate.profile import Asked, Profile, read_profile
from liverl.preflight.machine import available_bytes
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan
from liverl.run.launch import LaunchOrder

_WORLD = ".drill"
_DISK_BYTES = 20_000_000
_LEARNING_RATE = 1e-4
# Ray starts its dashboard's agent there, and refuses to be given the same port for anything else.
_RAY_AGENT = 52365
# What a run of this size takes beside what is in use when it starts, and what is left to the failure after that.
_RUN_BYTES = 8 * 1024**3
_FREE_BYTES = 12 * 1024**3


@dataclass(frozen=True)
class World:
    """The folder of tasks and policy below a run root, and the configuration of one drill in it."""

    root: Path
    drill: Drill
    profile: Profile


def make_world(root: Path, drill: Drill, tell: Relay) -> World:
    """Tasks and policy in `root`/.drill (made once for all drills of a root), and a configuration on free ports."""
    folder = root / _WORLD
    folder.mkdir(parents=True, exist_ok=True)
    ended = relay("liverl.drill", [str(folder), "--grading", drill.grading, "--policy", drill.policy], tell)
    if ended.exit_status != 0:
        raise RunError(
            "drill.not_prepared",
            "The drill's tasks and policy could not be made.",
            evidence="\n".join(ended.lines[-6:]),
            next_action="liverl check",
        )
    path = folder / drill.name / "config.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(_sections(root, drill)))
    return World(root, drill, read_profile(Asked(str(path)), Place(path.parent, root)))


def order_of(world: World, around: contextlib.ExitStack) -> LaunchOrder:
    """The launch of a drill's run; what has to be there while it lives is entered into `around`."""
    profile = world.profile
    config = profile.config

    def plan(run: RunDir) -> AttemptPlan:
        return change(plan_attempt(config, run, confirmed_by="--yes"), run, world, around)

    return LaunchOrder(
        root=world.root,
        config_text=profile.text,
        resolved_text=lambda run: render_resolved(config, profile.origins),
        plan=plan,
        ports=ports_of(config),
        name=_free_name(world),
        python=python_of(config),
    )


def change(
    plan: AttemptPlan, run: RunDir, world: World, around: contextlib.ExitStack | None = None
) -> AttemptPlan:
    """The plan of an attempt with the drill in it: its own boot, its name in the environment, its surroundings."""
    drill = world.drill
    env = dict(plan.env)
    trainer = plan.trainer
    if drill.at != NEVER:
        env["LIVERL_DRILL"] = f"{drill.name}:{drill.at}"
        trainer = (trainer[0], "-m", "liverl.drill.boot", str(run.root))
    match drill.around:
        case "small-disk":
            trainer = (*_small_disk(run.checkpoints), *trainer)
        case "no-bubblewrap":
            env["PATH"] = _path_without("bwrap", world.root / _WORLD / drill.name / "bin")
        case "other-name":
            plan = replace(plan, door=(plan.door[0], "-m", "liverl.drill.door", *plan.door[3:]))
        case "little-memory":
            env |= _little_memory(world.profile.facts.memory_gb * 1e9)
        case "taken-port" if around is not None:
            around.enter_context(_listening(plan.ports["litellm"]))
    return replace(plan, env=env, trainer=trainer)


def _sections(root: Path, drill: Drill) -> dict[str, Any]:
    folder = root / _WORLD
    door, ray, dashboard = _free_ports(3)
    sections: dict[str, dict[str, Any]] = {
        "experiment": {"run_root": str(root)},
        "model": {"path": str(folder / drill.policy)},
        "data": {"train": str(_tasks(folder, drill, "train")), "val": str(_tasks(folder, drill, "val"))},
        "infrastructure": {"litellm_port": door, "ray_port": ray, "ray_dashboard_port": dashboard},
        # As many threads as cores only wait for each other in so small a model.
        "engine": {"cpu_threads": 1},
        "training": {
            "steps": drill.steps,
            "prompts_per_step": 4,
            "micro_batch_size": 16,
            "val_before_train": False,
            "test_freq": drill.steps,
        },
        # With the profile's own rate so small a batch makes the policy worse within three steps.
        "algorithm": {"learning_rate": _LEARNING_RATE},
        "rollout": {"n": 4, "val_n": 2, "max_prompt_length": 256, "max_response_length": 384},
        "scaffold": {"max_turns": 4, "max_tokens_per_turn": 64},
        "trial": {"concurrency": 8},
        "checkpoint": {"save_freq": drill.steps, "export": False},
    }
    for name, values in drill.settings.items():
        sections.setdefault(name, {}).update(values)
    return {"profile": "cpu", **sections, "verl": dict(drill.verl)}


def _tasks(folder: Path, drill: Drill, split: str) -> Path:
    return folder / f"tasks-{drill.grading}" / split


def _free_name(world: World) -> str:
    first = f"drill-{world.drill.name}"
    names = (first, *(f"{first}-{number}" for number in range(2, 1000)))
    return next(name for name in names if not (world.root / name).exists())


def _small_disk(folder: Path) -> tuple[str, ...]:
    """A prefix for a command that sees a small file system in the place of a folder."""
    return ("bwrap", "--dev-bind", "/", "/", "--size", str(_DISK_BYTES), "--tmpfs", str(folder), "--")


def _path_without(program: str, folder: Path) -> str:
    """A PATH that has every program of this one but one, in a folder of links."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for place in reversed(os.environ.get("PATH", "/usr/bin:/bin").split(os.pathsep)):
        for path in Path(place).glob("*") if Path(place).is_dir() else ():
            link = folder / path.name
            link.unlink(missing_ok=True)
            if path.name != program:
                link.symlink_to(path)
    return str(folder)


def _little_memory(total: float) -> dict[str, str]:
    """Ray's memory monitor with a threshold a little above what the machine and this run need together."""
    available = available_bytes()
    if available < _FREE_BYTES:
        raise RunError(
            "drill.memory",
            "This drill needs 12 GiB of free memory, so that it can do no harm.",
            evidence=f"{available >> 30} GiB are available",
            next_action="free -g   and run it on a machine with more",
        )
    threshold = (total - available + _RUN_BYTES) / total
    return {"RAY_memory_usage_threshold": f"{threshold:.3f}", "RAY_memory_monitor_refresh_ms": "100"}


@contextlib.contextmanager
def _listening(port: int) -> Iterator[None]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen(1)
        yield


def _free_ports(count: int) -> list[int]:
    """Ports nobody listens on now, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count + 1)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        found = [int(each.getsockname()[1]) for each in sockets]
    return [port for port in found if port != _RAY_AGENT][:count]
