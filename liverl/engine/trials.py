"""A trial of the run: its session at the gateway, its retries, its row and its files.

- `TrialRun`: what the trainer needs of a finished trial
- `run_with_retries`: tries until somebody but the infrastructure is to blame
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from liverl.engine.desk import DOOR_TIMEOUT_S, Desk
from liverl.engine.door import door_again
from liverl.gateway.calls import Sampling, SessionRecord
from liverl.record.clock import utc_now
from liverl.record.events import post_event
from liverl.record.trajectory import Segment, write_trajectory
from liverl.record.trials import TrialRow, append_trial
from liverl.trial.run import TrialOutcome, TrialSpec, run_trial

logger = logging.getLogger(__name__)

STARVED_SHARE = 0.5
"""Share of the agent's time: who waited longer for one answer had no fair chance."""


@dataclass(frozen=True)
class TrialRun:
    """A finished trial; `reward` is None when it could not be scored, `segments` are its training sequences."""

    outcome: str
    reward: float | None
    turns: int
    segments: list[Segment]
    seconds: dict[str, float]
    weight_versions: tuple[int, int]


@dataclass(frozen=True)
class Assignment:
    """Which trial of which task: `step` counts updates, `version` the weights that the trial starts with."""

    task: Path
    split: str
    step: int
    group: str
    place: int

    @property
    def version(self) -> int:
        """A training step is made with the weights of the step before; a validation measures its own step's."""
        return self.step if self.split == "val" else max(self.step - 1, 0)

    @property
    def folder(self) -> Path:
        """Where the trial's files go, relative to the run directory."""
        label = f"{self.step:04d}" if self.split == "val" else f"v{self.version:04d}"
        return Path("trials") / self.split / label

    def name(self, number: int) -> str:
        """The trial's name: task, group, place in the group, and which try it is."""
        attempt = int(os.environ.get("LIVERL_ATTEMPT", "1"))
        again = f"-a{attempt}" if attempt > 1 else ""
        retry = f"-r{number}" if number > 1 else ""
        return f"{self.task.name}-{self.group[:4]}-{self.place}{again}{retry}"


def assignment(row: Mapping[str, Any]) -> Assignment:
    """What a row of verl's data loader asks for."""
    extra = row["extra_info"]
    return Assignment(
        task=Path(extra["path"]),
        split=extra["split"],
        step=int(row["global_steps"]),
        group=str(row["uid"]),
        place=int(row["session_id"]),
    )


async def run_with_retries(
    desk: Desk, sampling: Mapping[str, Any], row: Mapping[str, Any], queued: float
) -> TrialRun:
    """Run the row's task; a failure that is not the agent's is tried again `trial.retries` times.

    Every try leaves its folder; the last one leaves the row. Never raises for a failed trial, nor for one that can't
    be put on record: that one can't be trained on either.
    """
    wanted = assignment(row)
    began = time.time()
    tries = desk.config.trial.retries + 1
    for number in range(1, tries + 1):
        outcome, record = await _try_once(desk, wanted, sampling, number)
        if outcome.reward is not None:
            break
        _post_failure(desk, wanted, outcome, number, retry=number < tries)
        if outcome.blame == "gateway":
            # Also after the last try: whoever gets this trial's place must not fail for the same reason.
            await door_again(desk.door_url, DOOR_TIMEOUT_S)
    seconds = {**outcome.seconds, "queue": began - queued, "generation": _total(record.spans)}
    try:
        append_trial(desk.run, _row(desk, wanted, outcome, record, number, seconds))
    except OSError as error:
        outcome = _unrecorded(outcome, error)
        _post_failure(desk, wanted, outcome, number, retry=False)
    versions = record.weight_versions or (wanted.version, wanted.version)
    segments = [] if outcome.reward is None else record.segments
    return TrialRun(outcome.outcome, outcome.reward, len(record.calls), segments, seconds, versions)


async def _try_once(
    desk: Desk, wanted: Assignment, sampling: Mapping[str, Any], number: int
) -> tuple[TrialOutcome, SessionRecord]:
    config, name = desk.config, wanted.name(number)
    token = desk.gateway.open_session(
        name,
        sampling=Sampling(
            float(sampling.get("temperature", 1.0)),
            float(sampling.get("top_p", 1.0)),
            int(sampling.get("top_k", -1)),
        ),
        max_prompt_tokens=config.rollout.max_prompt_length,
        max_response_tokens=config.rollout.max_response_length,
        max_tokens_per_turn=config.scaffold.max_tokens_per_turn,
        max_calls=max(200, 4 * config.scaffold.max_turns),
        expires_s=config.trial.agent_timeout_s + 600,
    )
    try:
        outcome = await run_trial(trial_spec(desk, wanted.task, name, desk.run.root / wanted.folder, token))
    finally:
        record = desk.gateway.close_session(name)
    failure = record.engine_failure or _starved(outcome, record, config.trial.agent_timeout_s)
    if failure:
        outcome = replace(outcome, outcome="infrastructure", blame="engine", reward=None, error=failure)
    if outcome.path.is_dir():
        messages = record.messages or outcome.messages
        calls = [asdict(call) for call in record.calls]
        try:
            write_trajectory(outcome.path, record.segments, messages, calls)
        except (OSError, ValueError) as error:
            outcome = _unrecorded(outcome, error)
    return outcome, record


def _starved(outcome: TrialOutcome, record: SessionRecord, limit_s: float) -> str:
    """Why a timeout was the engine's: most of the agent's time passed in one call that was never answered."""
    if outcome.outcome != "timeout":
        return ""
    agent_end = min((start for kind, start, _ in outcome.spans if kind == "verifier"), default=time.time())
    late = [(call.started, call.ended) for call in record.calls if call.ended > agent_end]
    longest_s = max((min(end, agent_end) - start for start, end in [*record.unanswered, *late]), default=0.0)
    if longest_s <= STARVED_SHARE * limit_s:
        return ""
    return f"the replica left a call unanswered for {longest_s:.0f} s of the agent's {limit_s:.0f} s"


def _unrecorded(outcome: TrialOutcome, error: Exception) -> TrialOutcome:
    said = f"the trial can't be put on record: {type(error).__name__}: {error}"
    return replace(outcome, outcome="infrastructure", blame="sandbox", reward=None, error=said)


def _post_failure(desk: Desk, wanted: Assignment, outcome: TrialOutcome, number: int, *, retry: bool) -> None:
    try:
        post_event(
            desk.run,
            "trial_failed",
            trial=wanted.name(number),
            task=wanted.task.name,
            step=wanted.step,
            blame=outcome.blame,
            error=outcome.error[:500],
            retry=retry,
        )
    except OSError as error:  # the log may lie on a disk that has room
        logger.error("%s failed: %s; no event could be posted: %s", wanted.name(number), outcome.error, error)


def trial_spec(desk: Desk, task: Path, name: str, folder: Path, token: str) -> TrialSpec:
    """A trial of the configured scaffold with the configured limits."""
    config = desk.config
    options = {"max_turns": config.scaffold.max_turns, **config.scaffold.options}
    if config.scaffold.name == "shell":
        options.setdefault("command_timeout_s", config.sandbox.command_timeout_s)
    return TrialSpec(
        task=task,
        name=name,
        trials_dir=folder,
        scaffold=config.scaffold.name,
        options=options,
        base_url=desk.door_url,
        token=token,
        model=config.model.served_name,
        memory_mb=config.sandbox.memory_mb,
        processes=config.sandbox.processes,
        disk_mb=config.sandbox.disk_mb,
        agent_timeout_s=config.trial.agent_timeout_s,
        verifier_timeout_s=config.trial.verifier_timeout_s,
    )


def _row(
    desk: Desk,
    wanted: Assignment,
    outcome: TrialOutcome,
    record: SessionRecord,
    tries: int,
    seconds: dict[str, float],
) -> TrialRow:
    return TrialRow(
        time=utc_now(),
        task=wanted.task.name,
        trial=wanted.name(tries),
        split=wanted.split,
        step=wanted.step,
        weight_version=(record.weight_versions or (wanted.version,))[0],
        group=wanted.group,
        outcome=outcome.outcome,
        blame=outcome.blame,
        reward=outcome.reward,
        turns=len(record.calls),
        prompt_tokens=record.prompt_tokens,
        completion_tokens=record.completion_tokens,
        sequences=len(record.segments),
        tries=tries,
        seconds={key: round(value, 4) for key, value in seconds.items()},
        spans=[*record.spans, *outcome.spans],
        path=str(outcome.path.relative_to(desk.run.root)),
        error=outcome.error[:2000],
    )


def _total(spans: list[tuple[str, float, float]]) -> float:
    return sum(end - start for _, start, end in spans)
