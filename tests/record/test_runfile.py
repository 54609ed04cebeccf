"""run.json and attempt_N.json."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.plan import AttemptPlan, newest_attempt, read_plan, write_plan
from liverl.record.runfile import Attempt, ProcessRef, RunRecord, read_run, write_run

ATTEMPT = Attempt(
    1, "2026-01-01T00:00:00.000Z", "host", "boot", "pid:[1]", processes=(ProcessRef("door", 7, 9),)
)
RECORD = RunRecord("r", "2026-01-01T00:00:00.000Z", 30, {"litellm": 8002}, (ATTEMPT,))


def test_a_record_is_read_back_as_it_was_written(run: RunDir) -> None:
    write_run(run, RECORD)
    assert read_run(run) == RECORD


def test_a_folder_without_a_run_file_is_named_in_the_error(run: RunDir) -> None:
    with pytest.raises(RunError) as caught:
        read_run(run)
    assert caught.value.code == "run.no_run_file"
    assert str(run.run_json) in caught.value.evidence


def test_a_run_file_that_is_not_one_is_an_error_and_not_a_crash(run: RunDir) -> None:
    for content in ("", "[]", '{"name": "r"}', '{"name":"r","created":"","steps":1,"attempts":[]}'):
        run.run_json.write_text(content)
        with pytest.raises(RunError):
            read_run(run)


def test_a_later_attempt_is_added_and_a_changed_one_replaced() -> None:
    second = replace(ATTEMPT, number=2)
    both = RECORD.with_attempt(second)
    assert [item.number for item in both.attempts] == [1, 2]
    closed = both.with_attempt(replace(second, state="stopped"))
    assert [item.state for item in closed.attempts] == ["starting", "stopped"]


def test_the_newest_process_of_a_name_is_the_one_that_counts() -> None:
    restarted = replace(ATTEMPT, processes=(ProcessRef("door", 7, 9), ProcessRef("door", 8, 10)))
    assert restarted.process("door") == ProcessRef("door", 8, 10)
    assert restarted.process("trainer") is None


def test_a_plan_is_read_back_and_the_newest_one_is_known(run: RunDir) -> None:
    assert newest_attempt(run) == 0
    for number in (1, 2, 10):
        write_plan(run, AttemptPlan(number, "r", 30, ("python", "-m", "x"), env={"A": "1"}))
    assert newest_attempt(run) == 10
    assert read_plan(run, 2) == AttemptPlan(2, "r", 30, ("python", "-m", "x"), env={"A": "1"})
