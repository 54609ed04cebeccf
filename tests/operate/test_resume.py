"""Which runs are gone on with."""

from __future__ import annotations

import pytest

from liverl.errors import RunError
from liverl.operate.resume import check_resume
from liverl.record.plan import newest_attempt
from tests.operate.made import Made


def test_a_run_that_was_told_never_to_resume_is_not_resumed(made: Made) -> None:
    run = made(state="failed")
    run.resolved.write_text("training: {resume: never}")
    with pytest.raises(RunError) as caught:
        check_resume(run)
    assert caught.value.code == "run.resume_never"
    assert str(run.resolved) in caught.value.next_action
    assert newest_attempt(run) == 1
