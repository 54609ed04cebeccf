"""A new run directory and its first attempt; starts supervisors for later attempts too."""

from __future__ import annotations

import itertools
import re
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from liverl.errors import RunError
from liverl.record.asks import take_stop
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, write_plan
from liverl.record.runfile import read_run
from liverl.record.tail import last_words
from liverl.run.environment import package_environment
from liverl.run.liveness import Liveness, read_liveness
from liverl.run.roots import known_roots, remember_root, runs_in

_WAIT_S = 30.0
_END_S = 10.0


@dataclass(frozen=True)
class LaunchOrder:
    """What a launch needs: where, what was asked for, and the attempt's plan once the directory is known.

    `name` empty makes one of `model`, `scaffold` and the day. `python` is the interpreter of the data plane.
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


def launch(order: LaunchOrder) -> RunDir:
    """Make the run directory and start its supervisor; returns when run.json is there; raises `RunError`."""
    root = order.root.resolve()
    refuse_shared_ports(root, order.ports)
    run = _create(root, order)
    run.config.write_text(order.config_text)
    run.resolved.write_text(order.resolved_text(run))
    remember_root(root)
    plan = order.plan(run)
    write_plan(run, plan)
    start_attempt(run, plan, order.python)
    return run


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
    """Raise `RunError` when a live run of a known folder uses one of these ports."""
    for run, state in live_runs([root, *known_roots()]):
        record = state.record
        if record is None or (but is not None and run.root == but.root):
            continue
        shared = sorted(set(ports.values()) & set(record.ports.values()))
        if shared:
            raise RunError(
                "run.ports_in_use",
                f"The run {run.name} is {state.state} and uses port {', '.join(map(str, shared))}.",
                evidence=str(run.root),
                next_action=f"liverl stop {run.root}   or other ports in config.yaml, section infrastructure",
            )


def live_runs(roots: list[Path]) -> Iterator[tuple[RunDir, Liveness]]:
    """The runs of some folders whose processes are at work."""
    seen: set[Path] = set()
    for run in (run for root in roots for run in runs_in(root)):
        if run.root in seen:
            continue
        seen.add(run.root)
        try:
            state = read_liveness(run)
        except (RunError, OSError):
            continue
        if state.is_live:
            yield run, state


def _create(root: Path, order: LaunchOrder) -> RunDir:
    if order.name:
        try:
            return RunDir.create(root / order.name)
        except FileExistsError:
            raise RunError(
                "run.name_taken",
                f"{root / order.name} is there already.",
                next_action=f"liverl resume {order.name}   or another --name",
            ) from None
    for name in run_names(order.model, order.scaffold, date.today()):
        try:
            return RunDir.create(root / name)
        except FileExistsError:
            continue
    raise AssertionError("run_names never ends")


def run_names(model: str, scaffold: str, day: date) -> Iterator[str]:
    """Readable names of a day, such as policy-shell-1121a, ...1121b; endless."""
    stem = f"{_slug(model)}-{_slug(scaffold)}-{day:%m%d}"
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            yield stem + "".join(letters)


def _slug(text: str) -> str:
    last = text.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    return re.sub(r"[^a-z0-9.]+", "-", last.lower()).strip("-.")[:32] or "run"


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
