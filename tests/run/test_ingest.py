"""What the data plane wrote reaches metrics and events, whatever fails on the way."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from liverl.record.clock import utc_now
from liverl.record.events import read_events
from liverl.record.layout import RunDir
from liverl.record.metrics import read_metrics
from liverl.record.plan import AttemptPlan
from liverl.record.trials import append_trial
from liverl.run.ingest import Ingest
from tests.record.rows import trial_row


def test_a_full_disk_at_the_first_trial_loses_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunDir.create(tmp_path / "run")
    ingest = Ingest(run, AttemptPlan(1, "run", 3, (sys.executable,)), utc_now())
    for _ in range(8):
        append_trial(run, trial_row(step=1, time=utc_now(), reward=1.0, outcome="solved"))
    run.attempt_metrics(1).write_text('{"step": 1, "data": {"actor/lr": 0.1}}\n')
    run.events_jsonl.symlink_to("/dev/full")  # every write of it fails with ENOSPC
    with pytest.raises(OSError, match="No space left"):
        ingest.poll()
    run.events_jsonl.unlink()
    ingest.poll()
    assert [row["trial/count"] for row in read_metrics(run)] == [8]
    stages = [event.fields["stage"] for event in read_events(run) if event.kind == "boot"]
    assert stages == ["first_trial"]
