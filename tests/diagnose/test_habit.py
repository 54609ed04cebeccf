"""Whether a change has become a habit."""

from __future__ import annotations

import numpy as np
import pytest

from liverl.diagnose.habit import has_stayed


@pytest.mark.parametrize(("behind", "stays"), [(0.02, True), (0.5, False), (0.2, True), (0.4, False)])
def test_a_change_has_stayed_where_what_follows_is_nearer_to_it_than_to_what_was_before(
    behind: float, stays: bool
) -> None:
    values = np.array([0.5] * 20 + [0.0] * 5 + [behind] * 15)
    assert has_stayed(values, 20, 24) is stays


def test_what_was_before_has_to_be_known() -> None:
    assert not has_stayed(np.array([np.nan, 0.0, 0.0, 0.0]), 1, 2)
