"""One trial: Harbor's own `Trial` in our sandbox, and what became of it as plain data.

TrialSpec      what to run, where, within which limits
run_trial      runs it; a failure is part of the outcome, not an exception
TrialOutcome   outcome, blame, reward, conversation, times
check_task     the two controls of a task: its oracle, and doing nothing
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liverl.errors import LiveRLError, SandboxError, TaskError, VerifierError
from liverl.trial.blame import INFRASTRUCTURE, Ending, Verdict, judge
from liverl.trial.task import validate_task

if TYPE_CHECKING:
    from harbor.models.trial.config import TrialConfig
    from harbor.models.trial.result import TimingInfo, TrialResult
    from harbor.trial.trial import Trial

ENVIRONMENT = "liverl.sandbox.bubblewrap:BubblewrapEnvironment"
Span = tuple[str, float, float]


@dataclass(frozen=True)
class TrialSpec:
    """One attempt of one task.

    `task` is its folder; Harbor writes under `trials_dir / name` and nowhere else. `scaffold` and `options`
    are as `liverl.scaffold.registry` has them. `base_url` ("http://host:port") is the model's door, `token`
    the credential of this trial, `model` the name to ask for. Limits as `BubblewrapEnvironment` has them.
    """

    task: Path
    name: str
    trials_dir: Path
    scaffold: str = "shell"
    options: Mapping[str, Any] = field(default_factory=dict)
    base_url: str = ""
    token: str = ""
    model: str = "policy"
    memory_mb: int = 512
    processes: int = 64
    disk_mb: int = 64
    agent_timeout_s: float = 300.0
    verifier_timeout_s: float = 120.0


@dataclass(frozen=True)
class TrialOutcome:
    """What became of a trial; `outcome`, `blame` and `reward` as in `liverl.record.trials`.

    `seconds` has the keys sandbox, agent, commands, verifier, total; `spans` (kind, start, end) with kinds
    sandbox, command, verifier, in `time.time()` seconds. `messages` and `commands` are the scaffold's own
    record. `path` is the folder that Harbor wrote.
    """

    outcome: str
    blame: str
    reward: float | None
    error: str
    turns: int
    seconds: dict[str, float]
    spans: list[Span]
    path: Path
    messages: list[dict[str, Any]] = field(default_factory=list)
    commands: list[dict[str, Any]] = field(default_factory=list)


async def run_trial(spec: TrialSpec) -> TrialOutcome:
    """Run one trial to its end and say what became of it.

    Never raises for a trial that failed; a cancelled trial cleans up and raises `CancelledError`.
    """
    _quiet_harbor()
    # Imported here because it takes half a second, and only after the two switches above are set.
    from harbor.trial.trial import Trial

    start = time.time()
    try:
        validate_task(spec.task)
        trial = await Trial.create(_harbor_config(spec))
    except TaskError as error:
        return _never_started(spec, "verifier" if error.code == "task.no_test" else "sandbox", error, start)
    except (LiveRLError, OSError, ValueError, RuntimeError) as error:
        return _never_started(spec, "sandbox", error, start)
    result = await trial.run()
    return _outcome(spec, trial, result, start)


async def check_task(task: Path, **limits: Any) -> tuple[float, float]:
    """The rewards of a task's own solution and of doing nothing; a sound task gives (1.0, 0.0).

    `limits` are `memory_mb`, `processes`, `disk_mb`. Raises `TaskError` when a part of the task is missing,
    `SandboxError` or `VerifierError` when it can't be tried.
    """
    validate_task(task)
    with tempfile.TemporaryDirectory(prefix="liverl-check-") as folder:
        specs = [
            TrialSpec(task=task, name=scaffold, trials_dir=Path(folder), scaffold=scaffold, **limits)
            for scaffold in ("oracle", "nop")
        ]
        oracle, nop = await asyncio.gather(*(run_trial(spec) for spec in specs))
    return _graded(task, oracle), _graded(task, nop)


def _graded(task: Path, outcome: TrialOutcome) -> float:
    if outcome.reward is not None:
        return outcome.reward
    kind = VerifierError if outcome.blame == "verifier" else SandboxError
    raise kind(
        f"{outcome.blame}.control",
        f"The task {task.name} can't be tried: the {outcome.blame} failed.",
        evidence=outcome.error,
        next_action=f"Run tests/test.sh of {task.name} by hand: it must write /logs/verifier/reward.txt.",
    )


def _quiet_harbor() -> None:
    """No telemetry, and no waiting for a price list of models that nobody here pays for."""
    os.environ.setdefault("HARBOR_TELEMETRY", "0")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def _harbor_config(spec: TrialSpec) -> TrialConfig:
    from harbor.models.trial.config import (
        AgentConfig,
        EnvironmentConfig,
        TaskConfig,
        TrialConfig,
        VerifierConfig,
    )

    from liverl.scaffold.registry import resolve

    scaffold = resolve(spec.scaffold, spec.options)
    door = spec.base_url.partition("://")[2].strip("/") if scaffold.inside else None
    base_url = f"http://127.0.0.1:{door.rpartition(':')[2]}" if door else spec.base_url.rstrip("/")
    return TrialConfig(
        task=TaskConfig(path=spec.task.resolve()),
        trial_name=spec.name,
        trials_dir=spec.trials_dir,
        agent=AgentConfig(
            name=scaffold.name,
            import_path=scaffold.import_path,
            model_name=spec.model,
            override_timeout_sec=spec.agent_timeout_s,
            kwargs=dict(spec.options),
            env=_endpoint_env(base_url, spec.token) if spec.base_url else {},
        ),
        environment=EnvironmentConfig(
            import_path=ENVIRONMENT,
            kwargs={
                "memory_mb": max(spec.memory_mb, scaffold.memory_mb),
                "processes": spec.processes,
                "disk_mb": spec.disk_mb,
                "door": door,
                "read_only": dict(scaffold.read_only),
            },
        ),
        verifier=VerifierConfig(override_timeout_sec=spec.verifier_timeout_s),
    )


def _endpoint_env(base_url: str, token: str) -> dict[str, str]:
    """The endpoint under the names that agents look for; Harbor writes none of the secret ones down."""
    return {
        "OPENAI_BASE_URL": f"{base_url}/v1",
        "OPENAI_API_KEY": token,
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_AUTH_TOKEN": token,
    }


def _never_started(spec: TrialSpec, blame: str, error: Exception, start: float) -> TrialOutcome:
    return TrialOutcome(
        outcome=INFRASTRUCTURE,
        blame=blame,
        reward=None,
        error=str(error),
        turns=0,
        seconds={"total": time.time() - start},
        spans=[],
        path=spec.trials_dir / spec.name,
    )


def _outcome(spec: TrialSpec, trial: Trial, result: TrialResult, start: float) -> TrialOutcome:
    failure = result.exception_info
    record: Mapping[str, Any] = (result.agent_result.metadata if result.agent_result else None) or {}
    commands = list(record.get("commands", []))
    reward, problem = _reward(result)
    sandbox = trial.agent_environment
    verdict: Verdict = judge(
        Ending(
            exception=failure.exception_type if failure else "",
            agent_started=result.agent_execution is not None,
            verifier_started=result.verifier is not None,
            stop=str(record.get("stop", "")),
            reward=reward,
            # An agent with a door is inside, and may have acted without a record of it.
            acted=bool(commands or getattr(sandbox, "door", None)),
            sandbox_broken=bool(getattr(sandbox, "broken", False)),
        )
    )
    now = time.time()
    command_spans = [("command", float(one["start"]), float(one.get("end", now))) for one in commands]
    sandbox_spans = list(getattr(sandbox, "spans", []))
    verifier_spans = _timed("verifier", result.verifier)
    return TrialOutcome(
        outcome=verdict.outcome,
        blame=verdict.blame,
        reward=verdict.reward,
        error=f"{failure.exception_type}: {failure.exception_message}" if failure else problem,
        turns=int(record.get("turns", 0)),
        seconds={
            "sandbox": _sum(sandbox_spans),
            "agent": _sum(_timed("agent", result.agent_execution)),
            "commands": _sum(command_spans),
            "verifier": _sum(verifier_spans),
            "total": now - start,
        },
        spans=[*sandbox_spans, *command_spans, *verifier_spans],
        path=spec.trials_dir / spec.name,
        messages=list(record.get("messages", [])),
        commands=commands,
    )


def _reward(result: TrialResult) -> tuple[float | None, str]:
    """The one number a trial is worth, from 0 to 1: `reward` of the verifier's, or the only one there is."""
    rewards = (result.verifier_result.rewards if result.verifier_result else None) or {}
    if "reward" not in rewards and len(rewards) != 1:
        return None, f"the verifier gave no number called reward: {rewards}" if rewards else ""
    reward = float(rewards.get("reward", next(iter(rewards.values()))))
    if not 0.0 <= reward <= 1.0:
        return None, f"the verifier gave the reward {reward:g}, which is not from 0 to 1"
    return reward, ""


def _timed(kind: str, timing: TimingInfo | None) -> list[Span]:
    if timing is None or timing.started_at is None:
        return []
    ended: datetime | None = timing.finished_at
    return [(kind, timing.started_at.timestamp(), ended.timestamp() if ended else time.time())]


def _sum(spans: Iterable[Span]) -> float:
    return sum(end - start for _, start, end in spans)
