"""trials.jsonl."""

from __future__ import annotations

import json
import os

from liverl.record.layout import RunDir
from liverl.record.trials import append_trial, read_trials
from tests.record.rows import trial_row


def test_a_row_is_read_back_as_it_was_written(run: RunDir) -> None:
    row = trial_row(reward=None, outcome="infrastructure", blame="sandbox", error="bwrap: no space")
    append_trial(run, row)
    assert read_trials(run) == [row]


def test_rows_of_another_version_are_read_as_far_as_they_are_rows(run: RunDir) -> None:
    known = trial_row().as_dict()
    run.trials_jsonl.write_text(json.dumps({**known, "extra": 1}) + '\n{"task": "x"}\n')
    assert [row.task for row in read_trials(run)] == ["off-by-one"]


def test_workers_that_append_at_once_lose_no_row(run: RunDir) -> None:
    pids = []
    for worker in range(4):
        pid = os.fork()
        if pid == 0:
            for number in range(50):
                append_trial(run, trial_row(trial=f"{worker}-{number}", error="x" * 3000))
            os._exit(0)
        pids.append(pid)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in pids)
    assert len({row.trial for row in read_trials(run)}) == 200
