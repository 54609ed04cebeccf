"""Facts about a run's state, files and trials, by the names that write-ups use (docs/writeups.md)."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from typing import Any

import yaml

from liverl.errors import LiveRLError
from liverl.log.settings import family_of
from liverl.operate.standing import Status
from liverl.record.layout import RunDir
from liverl.record.runfile import read_run
from liverl.record.trials import TrialRow
from liverl.run.retention import checkpoint_steps, newest_complete, size_bytes

Fact = float | int | bool | str
_GIB = 1024**3
_TRIALS = 64
_ENDED = {"finished": "finished", "stopped": "stopped", "failed": "exception"}


def facts_of(run: RunDir, status: Status, trials: Sequence[TrialRow]) -> dict[str, Fact]:
    """What is known of the run now, with its newest trials; a fact that is not known is left out."""
    facts: dict[str, Fact] = {
        "is_run": 1,
        "state": status.state,
        "alive": status.is_live,
        "attempts": status.attempt,
    }
    if status.steps_total:
        facts["steps_total"] = status.steps_total
    if status.rate_s is not None:
        facts["step_s"] = status.rate_s
    if status.last_write is not None:
        facts["silence_s"] = status.last_write.age_s
    if status.boot is not None:
        facts |= {"stage": status.boot.name, "stage_s": status.boot.lasts_s}
        if status.boot.limit_s is not None:
            facts["stage_limit_s"] = status.boot.limit_s
    if status.state == "unreachable":
        # It runs, or not, where nobody here can see it.
        del facts["alive"]
        return facts | {"ended": "running"} | _disk(run) | _trials(trials)
    if not status.is_live:
        facts["reason"] = status.reason
    # What the supervisor has recorded is surer than how the log looks at its end.
    facts["ended"] = "running" if status.is_live else _ENDED.get(status.state, "cut")
    return facts | _ended(run) | _disk(run) | _trials(trials)


def setting_of(run: RunDir) -> dict[str, str]:
    """Engine, rollout, family, scaffold and backend, as far as the resolved configuration tells them.

    The rollout server of a CPU is none of those that write-ups speak of: with it `rollout` is left out.
    """
    try:
        resolved = yaml.load(
            run.resolved.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    found = {
        "engine": _value(resolved, "engine", "strategy"),
        "rollout": "vllm" if _value(resolved, "engine", "rollout") == "vllm" else "",
        "family": family_of(str(_value(resolved, "model", "path") or "")),
        "scaffold": _value(resolved, "scaffold", "name"),
        "backend": _value(resolved, "sandbox", "backend"),
    }
    return {name: str(value) for name, value in found.items() if value not in (None, "")}


def _value(resolved: Any, section: str, key: str) -> Any:
    """A value of resolved.yaml, where each stands alone or with its origin."""
    part = resolved.get(section) if isinstance(resolved, dict) else None
    value = part.get(key) if isinstance(part, dict) else None
    return value.get("value") if isinstance(value, dict) else value


def _ended(run: RunDir) -> dict[str, Fact]:
    try:
        status = read_run(run).last.exit_status
    except LiveRLError:
        return {}
    return {} if status is None else {"exit_status": status}


def _disk(run: RunDir) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    try:
        facts["disk_free_gb"] = shutil.disk_usage(run.root).free / _GIB
        steps, newest = checkpoint_steps(run.checkpoints), newest_complete(run.checkpoints)
        if newest is not None:
            facts["checkpoint_gb"] = size_bytes(run.checkpoints / f"global_step_{newest}") / _GIB
        facts["checkpoints_partial"] = sum(1 for step in steps if newest is None or step > newest)
    except OSError:
        return facts
    return facts


def _trials(trials: Sequence[TrialRow]) -> dict[str, Fact]:
    rows = trials[-_TRIALS:]
    if not rows:
        return {}
    blamed = Counter(row.blame for row in rows if _failed(row))
    shares = {f"blame_{who}": blamed[who] / len(rows) for who in ("sandbox", "gateway", "engine", "verifier")}
    agent_errors = sum(1 for row in rows if row.outcome == "agent_error")
    failed = sum(blamed.values())
    return {
        "trials": len(rows),
        "trials_failed": failed,
        **shares,
        "blame_scaffold": agent_errors / len(rows),
    }


def _failed(row: TrialRow) -> bool:
    """Whether a trial failed for a reason that is not the policy's."""
    return row.outcome == "infrastructure"
