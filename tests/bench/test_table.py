"""The generated page, and the files it is made from."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.result import Before, Measure, Result, Table, load, load_all, save
from bench.table import RESULTS, is_worse, ratio, render

MACHINE = {"cores": 2, "cpu": "Some CPU", "memory_gib": 24.0, "kernel": "6.1", "python": "3.12.1"}
SPEED = Measure("step_s", "a step", 11.0, "s", "lower", bar=20.0)


def made(*measures: Measure, before: Before | None = None) -> Result:
    return Result("speed", "Speed", measures, time="2026-01-31T23:59:59.000Z", machine=MACHINE, before=before)


def row_of(page: str, label: str) -> list[str]:
    line = next(line for line in page.splitlines() if line.startswith(f"| {label} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_row_has_value_bar_what_was_before_and_their_ratio() -> None:
    page = render([made(SPEED, before=Before("", MACHINE, {"step_s": 10.0}))])
    assert row_of(page, "a step") == ["a step", "11 s", "≤ 20 s", "yes", "10 s", "1.10 **worse**"]


def test_a_bar_that_is_missed_is_marked() -> None:
    page = render([made(replace(SPEED, value=25.0), Measure("rise", "rise", 0.2, "reward", "higher", 0.3))])
    assert row_of(page, "a step")[3] == "**no**"
    assert row_of(page, "rise")[1:4] == ["0.20", "≥ 0.30", "**no**"]


def test_what_could_not_be_measured_misses_its_bar() -> None:
    page = render([made(replace(SPEED, value=None), replace(SPEED, label="free", value=None, bar=None))])
    assert row_of(page, "a step")[1:4] == ["not measured", "≤ 20 s", "**no**"]
    assert row_of(page, "free")[3] == ""


@pytest.mark.parametrize(
    ("value", "before", "better", "worse"),
    [
        (10.4, 10.0, "lower", False),
        (10.6, 10.0, "lower", True),
        (9.0, 10.0, "lower", False),
        (9.6, 10.0, "higher", False),
        (9.4, 10.0, "higher", True),
        (20.0, 10.0, "", False),
        (1.0, 0.0, "lower", True),
    ],
)
def test_more_than_five_percent_in_the_wrong_direction_is_worse(
    value: float, before: float, better: str, worse: bool
) -> None:
    measure = Measure("key", "label", value, better=better)  # type: ignore[arg-type]
    assert is_worse(measure, before) is worse


def test_a_change_within_the_noise_is_none() -> None:
    assert not is_worse(replace(SPEED, value=1.2, noise=0.5), 1.0)
    assert ratio(replace(SPEED, value=1.2, noise=0.5), 1.0) == "1.20"


def test_another_machine_is_not_compared() -> None:
    page = render([made(SPEED, before=Before("", {**MACHINE, "cores": 64}, {"step_s": 2.0}))])
    assert row_of(page, "a step")[4:] == ["2 s", "another machine"]


def test_the_machine_is_named_once_a_section() -> None:
    assert "2026-01-31, 2 cores of Some CPU, 24.0 GiB, Linux 6.1, Python 3.12.1." in render([made(SPEED)])


def test_tables_of_a_result_are_drawn_below_it() -> None:
    page = render(
        [replace(made(SPEED), tables=[Table("Parts", ("what", "s"), [["gen", 1.25], ["none", None]])])]
    )
    assert "### Parts" in page
    assert row_of(page, "gen") == ["gen", "1.25"]


def test_a_second_measurement_remembers_the_first(tmp_path: Path) -> None:
    save(made(SPEED), tmp_path)
    path = save(made(replace(SPEED, value=12.0)), tmp_path)
    found = load(path)
    assert found.before is not None
    assert (found.before.values, found.measures[0].value) == ({"step_s": 11.0}, 12.0)
    assert found.before.machine == found.machine
    assert [result.name for result in load_all(tmp_path)] == ["speed"]


def test_a_file_describes_the_machine(tmp_path: Path) -> None:
    machine = json.loads(save(made(SPEED), tmp_path).read_text())["machine"]
    assert {"cores", "cpu", "memory_gib", "kernel", "python", "packages"} <= machine.keys()
    assert machine["packages"]["verl"] == "0.9.1"


def test_the_page_is_up_to_date_with_the_files() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.table", "--check"],
        cwd=RESULTS.parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
