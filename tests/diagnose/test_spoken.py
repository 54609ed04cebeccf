"""Facts in words."""

from __future__ import annotations

import pytest

from liverl.diagnose.spoken import in_words


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"ended": "cut", "finished_said": 0, "steps": 1, "lines": 12330, "bytes": 9},
         "the log just ends, 1 step told, 12,330 lines"),
        ({"ended": "exception", "exception_above": 1, "finished_said": 1},
         "an exception ended it, an exception stands above that, an end is announced"),
        ({"alive": False, "silence_s": 331.97}, "its processes are gone, it has been silent for 6 minutes"),
        ({"restarts": 3, "reason": "killed"}, "3 restarts without a step between, reason killed"),
        ({"steps_total": 300, "last_step": 54, "disk_free_gb": 1.5},
         "300 steps planned, step 54 is the last, 1.5 GB free on the disk"),
        ({"ended": "odd", "alive": True}, "ended: odd, its processes live"),
    ],
)  # fmt: skip
def test_facts_are_told_in_words(facts: dict[str, object], said: str) -> None:
    assert in_words(facts, facts) == (said,)


def test_what_is_unknown_or_says_nothing_is_left_out() -> None:
    assert in_words(["steps", "bytes"], {"bytes": 3}) == ()
    assert in_words(["steps", "steps", "lines"], {"steps": 2, "lines": 4}) == ("2 steps told, 4 lines",)
