"""verl's console lines."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from liverl.log import LineReader, last_step, parse_step


def test_a_line_of_a_ray_actor_with_numpy_scalars_is_read() -> None:
    line = (
        "\x1b[36m(TaskRunnerV1 pid=811)\x1b[0m step:12 - actor/pg_loss:np.float64(-0.02)"
        " - num_turns/max:np.int32(4) - actor/lr:1e-06 - perf/ok:True - val-core/tasks/reward/mean@8:0.5"
    )
    found = parse_step(line)
    assert found is not None and found.step == 12
    assert found.values == {
        "actor/pg_loss": -0.02,
        "num_turns/max": 4.0,
        "actor/lr": 1e-06,
        "perf/ok": 1.0,
        "val-core/tasks/reward/mean@8": 0.5,
    }


def test_what_verl_prints_is_read_back() -> None:
    logger = pytest.importorskip("verl.utils.logger.aggregate_logger", reason="verl is not installed")
    numpy = pytest.importorskip("numpy")
    values = {"a/b": numpy.float64(0.125), "c": numpy.int32(-2), "d": 3, "e": float("nan"), "f": 1.5e-7}
    found = parse_step(logger.concat_dict_to_str(values | {"text": "not a number"}, step=7))
    assert found is not None and found.step == 7
    assert math.isnan(found.values.pop("e"))
    assert found.values == {"a/b": 0.125, "c": -2.0, "d": 3.0, "f": 1.5e-7}


@pytest.mark.parametrize("line", ["", "footstep:1 - a:1", "epoch 0, step 2", "step:x - a:1"])
def test_other_lines_are_no_steps(line: str) -> None:
    assert parse_step(line) is None


def test_several_lines_of_the_newest_step_are_one() -> None:
    found = last_step(["step:1 - a:1", "step:2 - a:2", "noise", "step:2 - b:3"])
    assert found is not None and (found.step, found.values) == (2, {"a": 2.0, "b": 3.0})


def test_a_growing_log_is_read_line_by_line_from_where_the_last_read_ended(tmp_path: Path) -> None:
    path = tmp_path / "log"
    reader = LineReader(path)
    assert reader.read() == []
    path.write_text("one\ntw")
    assert reader.read() == ["one"]
    with path.open("a") as stream:
        stream.write("o\n10%\r20%\rstep:1 - a:1\n")
    assert reader.read() == ["two", "step:1 - a:1"]
    assert reader.read() == []


def test_a_reader_goes_on_from_a_given_offset_and_starts_over_after_truncation(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("one\ntwo\n")
    reader = LineReader(path, offset=4)
    assert reader.read() == ["two"]
    path.write_text("new\n")
    assert reader.read() == ["new"]
