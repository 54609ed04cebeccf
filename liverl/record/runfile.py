"""run.json: who a run is, its attempts, their processes and their state; written by the supervisor alone."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from liverl.errors import RunError
from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir

OPEN_STATES = ("starting", "running", "stopping")
CLOSED_STATES = ("finished", "stopped", "failed")


@dataclass(frozen=True)
class ProcessRef:
    """A process, told from a later one with its pid by `start_ticks` (field 22 of /proc/PID/stat)."""

    name: str
    pid: int
    start_ticks: int


@dataclass(frozen=True)
class Attempt:
    """One life of a run, from a start to an end.

    `state` is starting, running, stopping, finished, stopped or failed; `host`, `boot_id` and `pid_namespace` say where
    its pids mean something; `reason` says why it ended.
    """

    number: int
    started: str
    host: str
    boot_id: str
    pid_namespace: str
    state: str = "starting"
    ended: str = ""
    reason: str = ""
    exit_status: int | None = None
    processes: tuple[ProcessRef, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether nobody has recorded its end."""
        return self.state in OPEN_STATES

    def process(self, name: str) -> ProcessRef | None:
        """The newest process of that name."""
        return next((item for item in reversed(self.processes) if item.name == name), None)


@dataclass(frozen=True)
class RunRecord:
    """Everything run.json holds; `ports` by name, `steps` how many the run is to make."""

    name: str
    created: str
    steps: int
    ports: dict[str, int] = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()

    @property
    def last(self) -> Attempt:
        """The newest attempt."""
        return self.attempts[-1]

    def with_attempt(self, attempt: Attempt) -> RunRecord:
        """The record with an attempt added, or put in the place of the one with its number."""
        others = tuple(item for item in self.attempts if item.number != attempt.number)
        return replace(self, attempts=(*others, attempt))


def write_run(run: RunDir, record: RunRecord) -> None:
    """Replace run.json by rename; the supervisor alone does this."""
    write_by_rename(run.run_json, json.dumps(asdict(record), indent=1).encode() + b"\n")


def read_run(run: RunDir) -> RunRecord:
    """Read run.json; raises `RunError` when it is missing or isn't one."""
    try:
        return _record(json.loads(run.run_json.read_bytes()))
    except FileNotFoundError:
        raise RunError(
            "run.no_run_file",
            f"{run.root} is not a run directory, or its run never started.",
            evidence=f"{run.run_json} is missing",
            next_action="liverl status --list",
        ) from None
    except (ValueError, TypeError, KeyError) as cause:
        raise RunError("run.bad_run_file", f"{run.run_json} can't be read.", evidence=repr(cause)) from cause


def _record(content: dict[str, Any]) -> RunRecord:
    attempts = tuple(_attempt(item) for item in content["attempts"])
    if not attempts:
        raise ValueError("no attempt in it")
    return RunRecord(
        name=str(content["name"]),
        created=str(content["created"]),
        steps=int(content["steps"]),
        ports={str(key): int(value) for key, value in content.get("ports", {}).items()},
        attempts=attempts,
    )


def _attempt(content: dict[str, Any]) -> Attempt:
    processes = tuple(ProcessRef(**item) for item in content.pop("processes", []))
    return Attempt(**content, processes=processes)
