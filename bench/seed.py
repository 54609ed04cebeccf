"""One seed: its policy is made, `liverl run` trains it, and what the run directory says is read.

measure       all of it, in a folder
read_run_of   the reading alone, of any finished run
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.door import free_ports
from bench.estimate import Estimate, Interval, Rewards, are_apart, bootstrap_rise, estimate
from bench.logprobs import Difference, compare
from bench.memory import MemoryWatch
from liverl.config import RunConfig
from liverl.errors import LiveRLError, RunError
from liverl.operate.validation import current_rows
from liverl.record.clock import to_seconds
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.runfile import read_run
from liverl.record.trials import TrialRow, read_trials

ROOT = Path(__file__).resolve().parents[1]
_PROBS_MEAN, _PROBS_MAX = "training/rollout_probs_diff_mean", "training/rollout_probs_diff_max"


@dataclass(frozen=True)
class Learned:
    """What a finished run says: its first and last validation, and how far replica and trainer were apart.

    `probs_mean` is the worst step's mean, `probs_max` the largest of any step, of verl's own metric, which is of
    probabilities; `logprobs` compares the replica with a plain forward pass, at the first and the last validation.
    """

    steps: int
    before: Estimate
    after: Estimate
    rise: float
    rise_over_tasks: Interval
    are_apart: bool
    probs_mean: float | None
    probs_max: float | None
    kl_max: float | None
    logprobs: tuple[Difference, Difference]
    lost_trials: int


@dataclass(frozen=True)
class Seed:
    """One seed's run and what it took; greedy decoding before and after is the mean of one trial a task."""

    seed: int
    run_dir: str
    learned: Learned
    greedy_before: float
    greedy_after: float
    build_s: float
    run_s: float
    build_bytes: int
    run_bytes: int

    @property
    def total_s(self) -> float:
        """From nothing to the end of the run."""
        return self.build_s + self.run_s


def measure(seed: int, work: Path, given: Sequence[str]) -> Seed:
    """Build, train and measure one seed in `work`; `given` are KEY=VALUE words for `liverl run`.

    Raises `RunError` when one of the programs fails.
    """
    policy, name = work / f"policy-{seed}", f"seed-{seed}"
    run = RunDir(work / "runs" / name)
    build = [sys.executable, "-m", "liverl.policy", "--out", str(policy), "--seed", str(seed)]
    build_s, build_bytes = _timed(build, work / f"build-{seed}.log", lambda: ())
    run_s, run_bytes = _timed(
        [*_run_command(seed, policy, work, given), "--name", name],
        work / f"run-{seed}.log",
        lambda: _run_pids(run),
    )
    return Seed(
        seed=seed,
        run_dir=str(run.root),
        learned=read_run_of(run),
        greedy_before=_greedy(policy, work / f"greedy-before-{seed}", given),
        greedy_after=_greedy(run.root / "policy", work / f"greedy-after-{seed}", given),
        build_s=build_s,
        run_s=run_s,
        build_bytes=build_bytes,
        run_bytes=run_bytes,
    )


def read_run_of(run: RunDir) -> Learned:
    """What the run learned; raises `RunError` when it holds fewer than two validations."""
    config = RunConfig.read_resolved(run.resolved)
    starts = [to_seconds(attempt.started) for attempt in read_run(run).attempts]
    rows = current_rows(read_trials(run), starts)
    validations = _validations(rows)
    if len(validations) < 2:
        raise RunError("bench.no_validation", f"{run.name} was not validated twice.", evidence=str(run.root))
    first, last = min(validations), max(validations)
    before, after = _rewards(validations[first]), _rewards(validations[last])
    was, now = estimate(before), estimate(after)
    metrics = read_metrics(run)
    folders = {step: [run.root / row.path for row in validations[step]] for step in (first, last)}
    temperature = config.rollout.val_temperature or 1.0
    return Learned(
        steps=last,
        before=was,
        after=now,
        rise=now.mean - was.mean,
        rise_over_tasks=bootstrap_rise(before, after),
        are_apart=are_apart(was.over_trials, now.over_trials) and are_apart(was.over_tasks, now.over_tasks),
        probs_mean=max(_values(metrics, _PROBS_MEAN), default=None),
        probs_max=max(_values(metrics, _PROBS_MAX), default=None),
        kl_max=max(map(abs, _values(metrics, "rollout_corr/kl")), default=None),
        logprobs=(
            compare(config.model.folder, folders[first], temperature),
            compare(run.root / "policy", folders[last], temperature),
        ),
        lost_trials=sum(row.reward is None for row in rows),
    )


def _validations(rows: Sequence[TrialRow]) -> dict[int, list[TrialRow]]:
    """The scored validation trials by step."""
    by_step: dict[int, list[TrialRow]] = defaultdict(list)
    for row in rows:
        if row.split == "val" and row.reward is not None:
            by_step[row.step].append(row)
    return by_step


def _rewards(rows: Sequence[TrialRow]) -> Rewards:
    by_task: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.reward is not None:
            by_task[row.task].append(row.reward)
    return by_task


def _values(metrics: Sequence[Mapping[str, Any]], key: str) -> list[float]:
    return [float(row[key]) for row in metrics if row.get(key) is not None]


def _run_command(seed: int, policy: Path, work: Path, given: Sequence[str]) -> list[str]:
    litellm, ray, dashboard = free_ports(3)
    values = [
        f"experiment.seed={seed}",
        f"model.path={policy}",
        f"infrastructure.litellm_port={litellm}",
        f"infrastructure.ray_port={ray}",
        f"infrastructure.ray_dashboard_port={dashboard}",
        *given,
    ]
    sets = [word for value in values for word in ("--set", value)]
    config = ["--config", str(ROOT / "config.yaml")]
    return [
        sys.executable,
        "-m",
        "liverl.cli",
        "run",
        "--yes",
        *config,
        "--run-root",
        str(work / "runs"),
        *sets,
    ]


def _run_pids(run: RunDir) -> Collection[int]:
    """The processes that a run has on record: its supervisor is no child of who launched it."""
    try:
        return [process.pid for process in read_run(run).last.processes]
    except LiveRLError:
        return ()  # not launched yet


def _timed(command: Sequence[str], log: Path, others: Any) -> tuple[float, int]:
    """Run a command to its end: its seconds, and the largest memory of its and the `others`' processes."""
    began = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
        with MemoryWatch(lambda: [process.pid, *others()]) as watch:
            status = process.wait()
    if status != 0:
        lines = log.read_text(errors="replace").splitlines()
        raise RunError(
            "bench.failed",
            f"{' '.join(command[1:4])} ended with exit status {status}.",
            evidence="\n        ".join(lines[-8:]),
            next_action=f"read {log}",
        )
    return time.monotonic() - began, watch.peak_bytes


def _greedy(policy: Path, work: Path, given: Sequence[str]) -> float:
    """The mean reward of one trial a validation task at temperature 0, in a process of its own."""
    sets = [word for value in given for word in ("--set", value)]
    command = [sys.executable, "-m", "bench.evaluate", "--json", "--policy", str(policy), "--work", str(work)]
    done = subprocess.run(
        [*command, "--temperature", "0", "--trials", "1", *sets],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RunError("bench.failed", f"{policy} can't be evaluated.", evidence=done.stderr[-1000:])
    return float(json.loads(done.stdout.splitlines()[-1])["mean"])
