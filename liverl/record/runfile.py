"""run.json: who a run is, its attempts, their processes and their state; written by the supervisor alone."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from liverl.errors import RunError
from liverl.record.jsonl import write_by_rename
from liverl.record.layout import RunDir
from liverl.record.shapes import decode, dict_of, listed, mapping, optional, text, whole

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
    """Everything run.json holds; `ports` by name, `steps` how many the run is to make.

    `root` is the run directory as its supervisor knows it: in a copy of the folder it is still the original's.
    """

    name: str
    created: str
    steps: int
    ports: dict[str, int] = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()
    root: str = ""

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
    write_by_rename(run.run_json, json.dumps(asdict(record), indent=1).encode() + b"\n", durable=True)


def read_run(run: RunDir) -> RunRecord:
    """Read run.json; raises `RunError` when it is missing or isn't one."""
    try:
        return _record(decode(run.run_json.read_bytes()))
    except FileNotFoundError:
        raise RunError(
            "run.no_run_file",
            f"{run.root} is not a run directory, or its run never started.",
            evidence=f"{run.run_json} is missing",
            next_action="liverl status --list",
        ) from None
    except (OSError, ValueError, TypeError, KeyError) as cause:
        raise RunError(
            "run.bad_run_file",
            f"{run.run_json} can't be read.",
            evidence=repr(cause)[:300],
            next_action=f"cat {run.run_json}",
        ) from cause


def _record(content: dict[str, Any]) -> RunRecord:
    attempts = tuple(_attempt(mapping(item)) for item in listed(content["attempts"]))
    if not attempts:
        raise ValueError("no attempt in it")
    return RunRecord(
        name=text(content["name"]),
        created=text(content["created"]),
        steps=whole(content["steps"]),
        ports=dict_of(whole)(content.get("ports", {})),
        attempts=attempts,
        root=text(content.get("root", "")),
    )


def _attempt(content: dict[str, Any]) -> Attempt:
    state = text(content.get("state", OPEN_STATES[0]))
    if state not in OPEN_STATES + CLOSED_STATES:
        raise ValueError(f"no state: {state:.60}")
    return Attempt(
        number=whole(content["number"]),
        started=text(content["started"]),
        host=text(content["host"]),
        boot_id=text(content["boot_id"]),
        pid_namespace=text(content["pid_namespace"]),
        state=state,
        ended=text(content.get("ended", "")),
        reason=text(content.get("reason", "")),
        exit_status=optional(whole)(content.get("exit_status")),
        processes=tuple(_process(mapping(item)) for item in listed(content.get("processes", []))),
    )


def _process(content: dict[str, Any]) -> ProcessRef:
    pid = whole(content["pid"])
    # To kill(2) 0 and negative ones are groups and everybody.
    if pid < 1:
        raise ValueError(f"no process of a run: {pid}")
    return ProcessRef(text(content["name"]), pid, whole(content["start_ticks"]))
