"""Whether a run was seen to learn."""

from __future__ import annotations

import numpy as np
import pytest

from liverl.diagnose.rise import has_risen
from liverl.log.series import Series, Values

RISING = np.linspace(0.1, 0.9, 30)
NOISE = np.random.default_rng(1).uniform(0.2, 0.8, 30)


def told(**columns: Values) -> Series:
    count = len(next(iter(columns.values())))
    steps = np.arange(1, count + 1)
    named = {name.replace("__", "/"): values for name, values in columns.items()}
    return Series(steps, named, steps, (), np.ones(count, np.int64))


@pytest.mark.parametrize("metric", ["critic__score__mean", "rewards__margins"])
@pytest.mark.parametrize(
    ("values", "risen"), [(RISING, True), (NOISE, False), (-RISING, False), (RISING[:9], False)]
)
def test_a_run_has_risen_by_more_than_chance(metric: str, values: Values, risen: bool) -> None:
    assert has_risen(told(**{metric: values})) is risen


def test_a_margin_counts_only_where_no_reward_is_told() -> None:
    assert not has_risen(told(critic__score__mean=NOISE, rewards__margins=RISING))
    assert not has_risen(told(actor__entropy=RISING))
