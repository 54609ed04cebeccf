"""A new run directory and its first attempt; starts supervisors for later attempts too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from liverl.errors import RunError
from liverl.record.asks import take_stop
from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, write_plan
from liverl.record.runfile import read_run
from liverl.record.tail import last_words
from liverl.run.archives import make_up
from liverl.run.environment import package_environment
from liverl.run.live import live_runs
from liverl.run.liveness import is_ours
from liverl.run.locks import ports_locked
from liverl.run.naming import new_run, run_names
from liverl.run.roots import each_root, listed_roots, remember_root
from liverl.run.signs import SignsOfLife, signs_of_life

__all__ = [
    "LaunchOrder",
    "SignsOfLife",
    "launch",
    "link_log",
    "refuse_shared_ports",
    "run_names",
    "signs_of_life",
    "start_attempt",
]

_WAIT_S = 30.0
_END_S = 10.0


@dataclass(frozen=True)
class LaunchOrder:
    """What a launch needs: where, what was asked for, and the attempt's plan once the directory is known.

    `name` empty makes one of `model`, `scaffold` and the day. `python` is the interpreter of the data plane. `links`
    is the folder that gets a link `launch_<UTC time>.log` to the attempt's log, None for no link.
    """

    root: Path
    config_text: str
    resolved_text: Callable[[RunDir], str]
    plan: Callable[[RunDir], AttemptPlan]
    ports: dict[str, int]
    name: str = ""
    model: str = "policy"
    scaffold: str = "shell"
    python: str = sys.executable
    links: Path | None = None


def launch(order: LaunchOrder) -> RunDir:
    """Make the run directory and start its supervisor; returns when run.json is there; raises `RunError`."""
    root = order.root.resolve()
    # Until run.json names the ports nobody else could tell that they are taken.
    with ports_locked(order.ports.values()):
        refuse_shared_ports(root, order.ports)
        make_up(root)
        try:
            run, plan = _planned(root, order)
        except OSError as error:
            raise RunError(
                "run.not_prepared",
                f"The run could not be prepared in {root}; nothing was started.",
                evidence=str(error),
                next_action=f"df -h {root}",
            ) from error
        # It looks at every folder on its list, one of which may hang.
        each_root([root], remember_root)
        start_attempt(run, plan, order.python)
    return run


def _planned(root: Path, order: LaunchOrder) -> tuple[RunDir, AttemptPlan]:
    """A run directory with its config and first plan, whole or not there at all: without a plan it is no run."""
    run = new_run(root, order.name, order.model, order.scaffold)
    link = ""
    try:
        write_by_rename(run.config, order.config_text.encode())
        write_by_rename(run.resolved, order.resolved_text(run).encode())
        plan = order.plan(run)
        link = link_log(order.links, run.attempt_log(plan.attempt))
        plan = replace(plan, launch_link=link)
        write_plan(run, plan)
    except BaseException:  # whatever it is, its name must be free again
        shutil.rmtree(run.root, ignore_errors=True)
        if link:
            Path(link).unlink(missing_ok=True)
        raise
    return run, plan


def link_log(links: Path | None, log: Path) -> str:
    """Make the link `launch_<UTC time>.log` to a log in a folder; returns its path, "" where it can't be made."""
    if links is None:
        return ""
    stem = f"launch_{datetime.now(UTC):%Y%m%d-%H%M%S}"
    for name in (stem, *(f"{stem}-{number}" for number in range(2, 100))):
        path = links / f"{name}.log"
        try:
            links.mkdir(exist_ok=True)
            path.symlink_to(os.path.relpath(log, links.resolve()))
        except FileExistsError:
            continue  # another launch of the same second
        except OSError:
            return ""
        return str(path)
    return ""


def start_attempt(run: RunDir, plan: AttemptPlan, python: str = sys.executable) -> None:
    """Start a planned attempt's supervisor, detached; returns when it has recorded itself."""
    take_stop(run)  # one that came too late for the attempt before
    log = run.attempt_log(plan.attempt)
    with log.open("ab") as output:
        supervisor = subprocess.Popen(
            [python, "-m", "liverl.run.supervisor", str(run.root), "--attempt", str(plan.attempt)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=run.data,
            env=package_environment(),
            start_new_session=True,
        )
    _point_latest(run, log)
    _wait_for_record(run, plan.attempt, supervisor)


def refuse_shared_ports(root: Path, ports: dict[str, int], but: RunDir | None = None) -> None:
    """Raise `RunError` when a live run of this machine, of a known folder that answers, uses one of these ports.

    Another machine or container has ports of its own.
    """
    for run, state in live_runs([root, *listed_roots()]):
        record = state.record
        if record is None or not is_ours(record.last):
            continue
        if but is not None and run.root == but.root.resolve():
            continue
        shared = sorted(set(ports.values()) & set(record.ports.values()))
        if shared:
            raise RunError(
                "run.ports_in_use",
                f"The run {run.name} is {state.state} and uses port {', '.join(map(str, shared))}.",
                evidence=str(run.root),
                next_action=f"liverl stop {run.root}   or other ports in config.yaml, section infrastructure",
            )


def _point_latest(run: RunDir, log: Path) -> None:
    draft = run.logs / ".latest"
    draft.unlink(missing_ok=True)
    draft.symlink_to(log.name)
    draft.replace(run.latest_log)


def _wait_for_record(run: RunDir, attempt: int, supervisor: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _WAIT_S
    while time.monotonic() < deadline:
        if run.run_json.exists() and _is_recorded(run, attempt):
            return
        if supervisor.poll() is not None:
            break
        time.sleep(0.05)
    _end(supervisor)
    raise RunError(
        "run.not_started",
        "The supervisor did not start.",
        evidence="\n".join(last_words(run.attempt_log(attempt))) or f"no word within {_WAIT_S:.0f} s",
        next_action=f"cat {run.attempt_log(attempt)}",
    )


def _end(supervisor: subprocess.Popen[bytes]) -> None:
    """End a supervisor that nobody will wait for any more; in time it would have started an attempt after all."""
    supervisor.terminate()
    try:
        supervisor.wait(_END_S)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()


def _is_recorded(run: RunDir, attempt: int) -> bool:
    last = read_run(run).last
    return last.number == attempt and last.process("supervisor") is not None
