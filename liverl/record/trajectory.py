"""trajectory.json.gz: a trial's tokens, masks and logprobs by segment, with its messages."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from liverl.errors import RunError
from liverl.record.jsonl import write_by_rename
from liverl.record.shapes import decode, list_of, mapping, real, whole

FILE_NAME = "trajectory.json.gz"


class TrajectoryError(RunError, ValueError):
    """A trajectory's file that isn't one."""


@dataclass(frozen=True)
class Segment:
    """A run of turns that share a token prefix.

    `response_ids`, `response_mask` and `response_logprobs` have one entry a response token; the mask is 1
    where the policy sampled the token and 0 where the scaffold put it there (its logprob is then 0.0).
    """

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    response_logprobs: list[float]

    @property
    def sampled(self) -> int:
        """Number of response tokens the policy sampled."""
        return sum(self.response_mask)

    @property
    def masked(self) -> int:
        """Number of response tokens that enter no loss."""
        return len(self.response_mask) - self.sampled


@dataclass(frozen=True)
class Trajectory:
    """What `read_trajectory` returns."""

    segments: list[Segment] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)


def write_trajectory(
    path: Path,
    segments: Sequence[Segment],
    messages: Sequence[dict[str, Any]],
    calls: Sequence[dict[str, Any]],
) -> None:
    """Write a trajectory to a file, or into a folder; messages and calls are JSON as they were."""
    target = path / FILE_NAME if path.is_dir() else path
    content = {
        "segments": [asdict(segment) for segment in segments],
        "messages": list(messages),
        "calls": list(calls),
    }
    write_by_rename(target, gzip.compress(json.dumps(content, ensure_ascii=False).encode(), mtime=0))


def read_trajectory(path: Path) -> Trajectory:
    """Read a trajectory from its file or folder.

    Raises `FileNotFoundError` when its tokens were removed, `TrajectoryError` when the file isn't one.
    """
    target = path / FILE_NAME if path.is_dir() else path
    compressed = target.read_bytes()
    try:
        content = decode(gzip.decompress(compressed))
        objects = list_of(mapping)
        segments = [_segment(segment) for segment in objects(content["segments"])]
        return Trajectory(segments, objects(content["messages"]), objects(content["calls"]))
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError) as cause:
        raise TrajectoryError(
            "trial.bad_trajectory", f"{target} can't be read.", evidence=repr(cause)[:300]
        ) from cause


def _segment(content: dict[str, Any]) -> Segment:
    wholes = list_of(whole)
    return Segment(
        prompt_ids=wholes(content["prompt_ids"]),
        response_ids=wholes(content["response_ids"]),
        response_mask=wholes(content["response_mask"]),
        response_logprobs=list_of(real)(content["response_logprobs"]),
    )
