"""Tables on their side without bars."""

from __future__ import annotations

import pytest

from liverl.log.formats.detect import detect
from liverl.log.formats.turned import turned_rows
from tests.log.formats.test_tables import column

_ROWS = (
    ("metric", "step_10", "step_20", "step_30", "step_40"),
    ("reward", "0.1", "0.2", "0.3", "0.4"),
    ("grad_norm", "0.5", "nan", "-", "0.8"),
    ("clipped %", "1", "2", "3", "4"),
)


@pytest.mark.parametrize("between", [",", ";", "\t", "   "])
def test_each_column_is_a_step_and_each_line_a_metric(between: str) -> None:
    text = "\n".join(between.join(cells) for cells in _ROWS).encode()
    found = turned_rows(b"Run 3\n\n" + text + b"\n\nStopped.\n").series()
    assert found.steps.tolist() == [10, 20, 30, 40]
    assert column(found, "critic/score/mean") == [0.1, 0.2, 0.3, 0.4]
    assert column(found, "actor/grad_norm")[0] == 0.5 and column(found, "actor/grad_norm")[3] == 0.8


def test_such_a_table_is_no_csv_with_a_row_a_step() -> None:
    assert detect("\n".join(",".join(cells) for cells in _ROWS).encode(), "a.csv") == "console"


@pytest.mark.parametrize(
    "text",
    [
        "metric,1,2,3,4\ncpu,1,2,3,4\ndisk,5,6,7,8\n",
        "name,4,3,2,1\nreward,1,2,3,4\ngrad_norm,1,2,3,4\n",
        "host,1,2,3,4\nreward,1,2,3,4\ngrad_norm,1,2,3,4\n",
        "metric,1,2\nreward,1,2\ngrad_norm,1,2\n",
    ],
)
def test_other_tables_are_left_alone(text: str) -> None:
    assert len(turned_rows(text.encode())) == 0
