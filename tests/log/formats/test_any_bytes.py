"""Whatever a file holds, no reader fails, and what is told is a series."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from liverl.log.formats import detect, encoding_of
from liverl.log.formats.steps import StepLines
from liverl.log.formats.tables import KINDS, Table, read_table
from liverl.log.series import Series

LOOSE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PIECES = st.sampled_from([
    b"step:", b"1", b" - ", b"actor/entropy", b":", b"0.5", b"nan", b"np.float64(", b")", b"\n", b"\r", b"\x1b[36m",
    b"(TaskRunner pid=1) ", b"{'loss': ", b"'reward': ", b"}", b", ", b"Train step 1/2 done.", "│ a │ 1 │".encode(),
    "╒═╕".encode(), "╘".encode(), b"alidation metrics: {", b"'", b'"', b"[Epoch 0.1] ", b"loss=", b"reward=1+-",
    b"1e999",
    b"9" * 400, b"-", b"\x00", b"\xff\xfe", b"it/s]", b"Training Progress: 4%|#| 44/1093 [11:33<5:1, 17.9s/it]",
    b"{", b'{"step": ', b'"data": {', b"[", b"]", b",", b"Infinity", b"step,loss\n", b"1,2\n", b"   Step 4  ", b"total",
    b"| step | reward | kl |\n", b"|---|---|---|\n", b"| 1 | 0.5 | 45% |\n", "│ **2** │ — │ 1,234 │\n".encode(), b"\t",
    b"Step\tTraining Loss\treward\tcompletions / mean_length\n", b"1\tNo Log\t1,234.5\t0\n", b"Step 12/100\n",
    b"12/300 [00:10<04:00, 1.2s/it, loss=0.3, reward=0.2]", b'{"step": 3, "reward": 0.5, "kl": ', b"'epoch': 0.",
    b"| Num Epochs = 1 | Total steps = 20\n", b"'train_runtime': 1.0}\n", b"'global_step/max_steps': '5/37', ", b"%",
    b" kl: 0.1\n", b"k",
])  # fmt: skip
BYTES = st.one_of(st.binary(max_size=400), st.lists(PIECES, max_size=60).map(b"".join))


def check(series: Series) -> None:
    count = len(series)
    assert all(len(values) == count for values in series.columns.values())
    assert len(series.lines) == len(series.spans) == count
    assert bool((np.diff(series.steps) > 0).all())


@LOOSE
@given(BYTES)
def test_any_bytes_are_a_console_log(content: bytes) -> None:
    steps = StepLines()
    for number, line in enumerate(content.split(b"\n"), 1):
        if steps.follow or any(needle in b"\n" + line for needle in steps.needles):
            steps.feed(number, 0, line)
        if number % 7 == 0:
            check(steps.series())
    check(steps.series())
    assert steps.attempts >= 0
    assert steps.progress() is None or steps.total_steps is not None


@LOOSE
@given(BYTES)
def test_every_line_may_be_fed(content: bytes) -> None:
    steps = StepLines(frozenset(("actor/entropy",)))
    for number, line in enumerate(content.split(b"\n"), 1):
        steps.feed(number, 0, line)
    check(steps.series())


@LOOSE
@given(BYTES, st.sampled_from(KINDS))
def test_any_bytes_are_a_file_of_any_kind(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert isinstance(detect(content, "file") + encoding_of(content), str)
    if encoding_of(content) != "zstd":
        check(Table(path, kind).read().series)
        read_table(path)


NUMBERS = st.one_of(
    st.floats(), st.integers(), st.integers(10**300, 10**320), st.none(), st.booleans(), st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
)  # fmt: skip
ROWS = st.lists(
    st.fixed_dictionaries(
        {"step": st.one_of(st.integers(0, 5), NUMBERS)},
        optional={
            "attempt": st.integers(0, 3),
            "loss": NUMBERS,
            "reward": NUMBERS,
            "a/b": NUMBERS,
            "data": st.none(),
        },
    ),
    max_size=12,
)


@LOOSE
@given(ROWS, st.integers(0, 200))
@example(rows=[{"step": 1.0}, {"step": 0, "loss": None}], cut=1)  # a last row that begins again, told twice
def test_rows_of_any_values_cut_anywhere_are_rows(
    tmp_path: Path, rows: list[dict[str, object]], cut: int
) -> None:
    text = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    path = tmp_path / "m.jsonl"
    path.write_bytes(text[: max(0, len(text) - cut)])
    table = Table(path, "jsonl")
    check(table.read().series)
    path.write_bytes(text)
    check(table.read().series)
    assert list(table.read().series.steps) == list(Table(path, "jsonl").read().series.steps)


@LOOSE
@given(st.lists(st.tuples(st.integers(0, 6), st.floats(-1, 1)), min_size=1, max_size=30))
def test_of_a_step_that_is_told_again_the_newest_value_stands(rows: list[tuple[int, float]]) -> None:
    steps = StepLines()
    for number, (step, value) in enumerate(rows, 1):
        steps.feed(number, 0, f"step:{step} - actor/entropy:{value} - actor/lr:1.0 - {'x' * 520}:1".encode())
    found = steps.series()
    check(found)
    last, value = rows[-1]
    assert found.steps[-1] == last and found.columns["actor/entropy"][-1] == pytest.approx(value)
