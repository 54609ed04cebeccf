"""Does a live run of ours have what this one would need: its ports, or its GPUs?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import yaml

from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.live import LiveRun, Seen, see
from liverl.preflight.owners import for_how_long
from liverl.preflight.ports import wanted_ports
from liverl.record.clock import to_utc
from liverl.record.layout import RunDir

VISIBLE = "CUDA_VISIBLE_DEVICES"
# Which GPUs a process may take: their numbers or ids, or None for all of them.
Gpus = frozenset[str] | None


def check_jobs(context: Context) -> list[Finding]:
    """Fatal for each live run that this one would collide with; those that share nothing are named."""
    seen = see(context)
    wanted: Gpus = visible(os.environ) if context.config.engine.rollout == "vllm" else frozenset()
    return judge_jobs(
        context, seen, wanted, {run.root: gpus_of(run) for run in seen.runs} if wanted != frozenset() else {}
    )


def judge_jobs(context: Context, seen: Seen, wanted: Gpus, taken: Mapping[Path, Gpus]) -> list[Finding]:
    """The findings for these live runs, the GPUs that this run may take, and those that each of them may."""
    findings = [_of_run(context, run, wanted, taken.get(run.root, frozenset())) for run in seen.runs]
    for folder in seen.silent:
        title = "A folder where runs were launched does not answer; whether one is live there is not known"
        cure = f"ls {folder}   shows whether it answers; a run there may use the same ports"
        findings.append(Finding("job:unknown", "skipped", title, str(folder), cure))
    return findings or [Finding("job:none", "info", "No run of yours is live")]


def visible(environment: Mapping[str, str]) -> Gpus:
    """The GPUs that a process with this environment sees."""
    named = environment.get(VISIBLE)
    return None if named is None else frozenset(part.strip() for part in named.split(",") if part.strip())


def gpus_of(run: LiveRun) -> Gpus:
    """The GPUs that a live run of this machine may have taken; none where it generates on the CPU."""
    if not run.is_here:
        return frozenset()
    try:
        config = yaml.safe_load(RunDir(run.root).resolved.read_text(encoding="utf-8"))
        if config["engine"]["rollout"] == "cpu":
            return frozenset()
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError):
        return None
    return visible(environment_of(run.pid))


def environment_of(pid: int) -> dict[str, str]:
    """The environment that a process was started with; empty where it can't be read."""
    try:
        pairs = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(pair.partition("=")[::2] for pair in pairs if "=" in pair)


def _of_run(context: Context, run: LiveRun, wanted: Gpus, taken: Gpus) -> Finding:
    shared = _shared(context, run, wanted, taken)
    since = f", since {to_utc(run.started_s)} ({for_how_long(run.started_s)})" if run.started_s else ""
    seen = f"{run.root}: {run.state}, {f'pid {run.pid}' if run.pid else 'no pid here'}{since}"
    if shared:
        title = f"The run {run.name} is live and uses the same {shared}"
        name = run.called(context)
        cure = f"liverl stop {name}   ends it; liverl status {name}   shows how far it is"
        return Finding("job:running", "fatal", title, seen, cure)
    place = "beside this one" if run.is_here else f"on {run.host}"
    return Finding(
        "job:beside", "info", f"The run {run.name} is live {place} and shares nothing with it", seen
    )


def _shared(context: Context, run: LiveRun, wanted: Gpus, taken: Gpus) -> str:
    """What both would use, in words; empty where that is nothing."""
    if not run.is_here:
        return (
            ""  # other machines and containers have ports and GPUs of their own; a busy one is found as such
        )
    ports = sorted(set(wanted_ports(context.config).values()) & set(run.ports.values()))
    told = [f"port{'s' * (len(ports) > 1)} {', '.join(map(str, ports))}"] if ports else []
    if both := _both(wanted, taken):
        told.append(both)
    return " and ".join(told)


def _both(one: Gpus, other: Gpus) -> str:
    if one == frozenset() or other == frozenset():
        return ""
    if one is None or other is None:
        return "GPUs"
    shared = sorted(one & other)
    return f"GPU{'s' * (len(shared) > 1)} {', '.join(shared)}" if shared else ""
