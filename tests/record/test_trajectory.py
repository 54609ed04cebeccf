"""trajectory.json.gz."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.record.trajectory import Segment, read_trajectory, write_trajectory


def test_a_trajectory_is_read_back_exactly(tmp_path: Path) -> None:
    segment = Segment([1, 2], [3, 4, 5], [1, 1, 0], [-0.1234567890123, -2.5, 0.0])
    messages = [{"role": "user", "content": "fix → it"}]
    write_trajectory(tmp_path, [segment], messages, [{"index": 0}])
    found = read_trajectory(tmp_path)
    assert found.segments == [segment]
    assert found.messages == messages
    assert found.calls == [{"index": 0}]
    assert (segment.sampled, segment.masked) == (2, 1)


def test_the_same_trajectory_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_trajectory(tmp_path / name, [Segment([1], [2], [1], [-1.0])], [], [])
    first, second = ((tmp_path / name / "trajectory.json.gz").read_bytes() for name in ("a", "b"))
    assert first == second


def test_removed_tokens_are_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_trajectory(tmp_path)
