"""Where each file of a run directory is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunDir:
    """A run directory by its root; knows paths, reads nothing."""

    root: Path

    @classmethod
    def create(cls, root: Path) -> RunDir:
        """Make the directory and its folders; raises `FileExistsError` when the root is already there."""
        root.mkdir(parents=True)
        run = cls(root)
        for folder in (run.logs, run.metrics_dir, run.trials, run.checkpoints, run.requests, run.data):
            folder.mkdir()
        return run

    @property
    def name(self) -> str:
        """The run's name: that of its folder."""
        return self.root.name

    @property
    def run_json(self) -> Path:
        """Identity, attempts, processes and state."""
        return self.root / "run.json"

    @property
    def heartbeat(self) -> Path:
        """Touched by the supervisor every few seconds."""
        return self.root / "heartbeat"

    @property
    def config(self) -> Path:
        """The profile as launched."""
        return self.root / "config.yaml"

    @property
    def resolved(self) -> Path:
        """Every value, and where it came from."""
        return self.root / "resolved.yaml"

    @property
    def logs(self) -> Path:
        """Folder of what the processes printed."""
        return self.root / "logs"

    @property
    def latest_log(self) -> Path:
        """Link to the newest attempt's log."""
        return self.logs / "latest"

    @property
    def metrics_dir(self) -> Path:
        """Folder of verl's own file logger."""
        return self.root / "metrics"

    @property
    def metrics_jsonl(self) -> Path:
        """One flat object a step."""
        return self.root / "metrics.jsonl"

    @property
    def events_jsonl(self) -> Path:
        """One object an event."""
        return self.root / "events.jsonl"

    @property
    def trials_jsonl(self) -> Path:
        """One row a finished trial."""
        return self.root / "trials.jsonl"

    @property
    def trials(self) -> Path:
        """Folder of the trials' own folders."""
        return self.root / "trials"

    @property
    def checkpoints(self) -> Path:
        """Folder of `global_step_N` folders."""
        return self.root / "checkpoints"

    @property
    def requests(self) -> Path:
        """Drop box for the supervisor."""
        return self.root / "requests"

    @property
    def data(self) -> Path:
        """Folder of what was prepared for the trainer: its task tables."""
        return self.root / "data"

    @property
    def policy(self) -> Path:
        """The final policy as a Hugging Face folder; it appears by rename, whole."""
        return self.root / "policy"

    @property
    def scratch(self) -> Path:
        """The run's own folder for sockets, outside the run directory: their paths are limited to 107 bytes."""
        digest = hashlib.sha256(str(self.root.resolve()).encode()).hexdigest()[:10]
        return Path("/tmp") / f"liverl-{digest}"

    def attempt_log(self, attempt: int) -> Path:
        """What the processes of one attempt printed."""
        return self.logs / f"attempt_{attempt}.log"

    def component_log(self, attempt: int, component: str) -> Path:
        """What one component of an attempt printed that has a log of its own, such as `litellm`."""
        return self.logs / f"attempt_{attempt}_{component}.log"

    def attempt_metrics(self, attempt: int) -> Path:
        """verl's file logger of one attempt: one path an attempt, because verl truncates it at its start."""
        return self.metrics_dir / f"attempt_{attempt}.jsonl"

    def attempt_plan(self, attempt: int) -> Path:
        """What the supervisor of one attempt was told to start."""
        return self.root / f"attempt_{attempt}.json"
