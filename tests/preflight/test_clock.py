"""A clock that is wrong, or behind the files of runs, is found without writing anything."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from liverl.preflight.clock import check_clock, judge_clock, newest
from liverl.preflight.context import Context

MakeContext = Callable[..., Context]
NOW_S = datetime(2026, 6, 1, tzinfo=UTC).timestamp()


def test_this_machines_clock_is_right_and_nothing_is_written(
    make_context: MakeContext, tmp_path: Path
) -> None:
    (finding,) = check_clock(make_context())
    assert (finding.id, finding.severity) == ("clock:right", "info")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("year", [1970, 2000, 2025, 2106])
def test_a_year_that_can_not_be_is_an_error(year: int) -> None:
    (finding,) = judge_clock(datetime(year, 6, 1, tzinfo=UTC).timestamp(), 0.0, "")
    assert (finding.id, finding.severity) == ("clock:wrong", "error")
    assert str(year) in finding.title


def test_a_file_from_the_future_shows_a_clock_that_is_behind(
    make_context: MakeContext, tmp_path: Path
) -> None:
    run = tmp_path / "runs" / "a"
    run.mkdir(parents=True)
    beat = run / "heartbeat"
    beat.touch()
    os.utime(beat, (time.time() + 600, time.time() + 600))
    (finding,) = check_clock(make_context())
    assert (finding.id, finding.severity) == ("clock:behind", "warn")
    assert str(beat) in finding.evidence


def test_a_file_server_may_be_a_little_ahead() -> None:
    assert judge_clock(NOW_S, NOW_S + 30, "f")[0].id == "clock:right"
    assert judge_clock(NOW_S, NOW_S - 1e6, "f")[0].id == "clock:right"


def test_the_newest_file_is_found_among_some_that_are_not_there(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for path, written_s in ((old, 1000), (new, 2000)):
        path.touch()
        os.utime(path, (written_s, written_s))
    assert newest([old, new, tmp_path / "none"]) == (new, 2000.0)
    assert newest([]) == (None, 0.0)
