"""The logs that the drills have left are diagnosed by what was done to each."""

from __future__ import annotations

import pytest

from bench.diagnosis import DRILLS, Labelled, judge, labelled
from liverl.diagnose.catalogue import catalogue
from liverl.operate.drill_list import DRILLS as KNOWN

LOGS = labelled(DRILLS)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.path.name)
def test_a_drills_log_shows_its_cause_and_a_healthy_one_nothing(log: Labelled) -> None:
    judged = judge(log, catalogue())
    assert judged.diagnosis is not None
    if log.is_healthy:
        assert judged.diagnosis.verdict == "healthy"
    else:
        assert judged.is_right, judged.diagnosis.findings[:2]


def test_every_drill_but_one_has_its_log() -> None:
    """A stall is told by a run's directory alone: its log only stops."""
    kept = {log.path.name.removesuffix(".log.gz") for log in LOGS}
    assert kept == {*KNOWN, "healthy"} - {"stall"}
