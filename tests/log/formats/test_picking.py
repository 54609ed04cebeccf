"""From rows to numbers."""

from __future__ import annotations

import numpy as np

from liverl.log.formats.picking import block
from liverl.log.formats.values import BEYOND


def test_a_nan_that_is_told_as_text_was_measured() -> None:
    told = block([(1.0, "NaN"), (2.0, None), (3.0, "inf")], 2)
    assert told[0, 1] == BEYOND and np.isnan(told[1, 1]) and told[2, 1] >= BEYOND
