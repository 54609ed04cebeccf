"""One trial, from its first message to its reward."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from liverl.operate.conversation import Turn, turns
from liverl.operate.trials import find_trial
from liverl.record.layout import RunDir
from liverl.record.trajectory import Segment, Trajectory, read_trajectory
from liverl.record.trials import TrialRow
from liverl.run.roots import is_run

_VERIFIER_OUTPUTS = ("test-stdout.txt", "test-stderr.txt")
_LIMIT_CHARS = 100_000


@dataclass(frozen=True)
class SegmentView:
    """One training sequence in tokens; `mean_logprob` is over the sampled ones, None without any."""

    prompt: int
    sampled: int
    masked: int
    mean_logprob: float | None


@dataclass(frozen=True)
class TrialView:
    """Everything that is kept of one trial; `note` says what is missing."""

    run: str
    row: TrialRow
    folder: str
    turns: tuple[Turn, ...]
    segments: tuple[SegmentView, ...]
    verifier_output: str
    exception: str
    note: str

    def as_dict(self) -> dict[str, Any]:
        """The trial as JSON."""
        return asdict(self)


def show(run: RunDir, trial: str) -> TrialView:
    """A trial of a run by its name; raises `RunError` when there is none."""
    row = find_trial(run, trial)
    folder = run.root / row.path
    trajectory, note = _trajectory(folder)
    return TrialView(
        run=run.name if is_run(run) else str(run.root),
        row=row,
        folder=str(folder),
        turns=tuple(turns(trajectory.messages)),
        segments=tuple(_segment(segment) for segment in trajectory.segments),
        verifier_output=_verifier_output(folder),
        exception=_text(folder / "exception.txt"),
        note=note,
    )


def _trajectory(folder: Path) -> tuple[Trajectory, str]:
    try:
        return read_trajectory(folder), ""
    except FileNotFoundError:
        note = (
            "its conversation and tokens are not there: removed after trial.keep_tokens_steps, or never made"
        )
        return Trajectory(), note
    except (OSError, ValueError, KeyError, TypeError, EOFError) as cause:
        return Trajectory(), f"its conversation and tokens can't be read: {cause!r}"


def _segment(segment: Segment) -> SegmentView:
    pairs = zip(segment.response_mask, segment.response_logprobs, strict=False)
    sampled = [logprob for mask, logprob in pairs if mask]
    return SegmentView(
        len(segment.prompt_ids), segment.sampled, segment.masked, fmean(sampled) if sampled else None
    )


def _verifier_output(folder: Path) -> str:
    parts = (_text(folder / "verifier" / name).rstrip() for name in _VERIFIER_OUTPUTS)
    return "\n".join(part for part in parts if part)


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(_LIMIT_CHARS)
    except OSError:
        return ""
