"""One trial, from its first message to its reward."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from liverl.errors import RunError
from liverl.operate.answer import cut
from liverl.operate.conversation import Turn, turns
from liverl.operate.fitting import fitted, middle_cut
from liverl.operate.trials import find_trial
from liverl.record.layout import RunDir
from liverl.record.trajectory import Segment, Trajectory, read_trajectory
from liverl.record.trials import TrialRow
from liverl.run.roots import is_run

_VERIFIER_OUTPUTS = ("test-stdout.txt", "test-stderr.txt")
_LIMIT_CHARS = 100_000
# 2,500 tokens of 3.5 bytes, less the head.
_PAYLOAD_BYTES = 8_200
_SEGMENTS = 8


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

    ok: bool = True

    @property
    def summary(self) -> str:
        """Task, outcome, reward, and whose fault it was."""
        row = self.row
        reward = "no reward" if row.reward is None else f"reward {row.reward:g}"
        blame = f", blame {row.blame}: {row.error}" if row.blame else ""
        return cut(
            f"{row.task} ({row.split}, step {row.step}): {row.outcome}, {reward}, {row.turns} turns{blame}",
            200,
        )

    @property
    def next_action(self) -> str:
        """The other trials of the task."""
        return f"liverl trials {self.run} --task {self.row.task}"

    def payload(self) -> dict[str, Any]:
        """The trial, its longest texts cut in the middle until all of it fits."""
        return fitted(self._told, _PAYLOAD_BYTES)

    def _told(self, limit: int) -> dict[str, Any]:
        row = self.row
        return {
            "run": self.run,
            "trial": row.trial,
            "outcome": row.outcome,
            "reward": row.reward,
            "blame": row.blame,
            "error": middle_cut(row.error, limit),
            "turns": [_turn(turn, limit) for turn in self.turns],
            "verifier": middle_cut(self.verifier_output, limit),
            "exception": middle_cut(self.exception, limit),
            "tokens": [asdict(segment) for segment in self.segments[:_SEGMENTS]],
            "seconds": {phase: round(spent, 2) for phase, spent in row.seconds.items()},
            "folder": self.folder,
            "note": self.note,
        }


def show(run: RunDir, trial: str) -> TrialView:
    """A trial of a run by its name; raises `RunError` when there is none."""
    row = find_trial(run, trial)
    folder = (run.root / row.path).resolve()
    if not folder.is_relative_to(run.root.resolve()):
        raise RunError(
            "trial.outside",
            f"The trial's folder is not in the run's directory, as its row in {run.trials_jsonl.name} says.",
            evidence=row.path[:200],
            next_action=f"liverl trials {run.name}",
        )
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


def _turn(turn: Turn, limit: int) -> dict[str, Any]:
    return {
        "role": turn.role,
        "text": middle_cut(turn.text, limit),
        "sampled": turn.sampled or None,
        "commands": [
            {
                "tool": command.tool,
                "text": middle_cut(command.text, limit),
                "output": None if command.output is None else middle_cut(command.output, limit),
            }
            for command in turn.commands
        ],
    }


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
