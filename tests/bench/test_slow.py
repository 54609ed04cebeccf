"""The slow suite's figures are those of its own report."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.slow import figures

_REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="4">
<testcase classname="tests.e2e.test_drills" name="a[nan]" time="64.5"><properties>
<property name="drill" value="nan" /><property name="found" value="policy:nan" />
<property name="after_s" value="12.5" /><property name="after_steps" value="3" />
<property name="seconds" value="60.1" /></properties></testcase>
<testcase classname="tests.e2e.test_drills" name="a[disk-full]" time="126.0"><properties>
<property name="drill" value="disk-full" /><property name="found" value="run:cut" />
<property name="after_s" value="9.0" /><property name="after_steps" value="0" />
<property name="seconds" value="120.0" /></properties><failure message="no">told</failure></testcase>
<testcase classname="tests.e2e.test_smoke" name="b" time="30.0" />
<testcase classname="tests.e2e.test_claude_code" name="c" time="0.1"><skipped message="no claude" /></testcase>
</testsuite></testsuites>
"""


def test_tests_and_drills_are_counted_as_the_report_tells_them(tmp_path: Path) -> None:
    report = tmp_path / "slow.xml"
    report.write_text(_REPORT)
    result = figures(report)
    values = {each.key: each.value for each in result.measures}
    assert values == {
        "passed": 2,
        "failed": 1,
        "skipped": 1,
        "seconds": pytest.approx(220.6),
        "drills": 1,
        "learning_steps": 3.0,
        "crash_s": None,
    }
    assert [row[:3] for row in result.tables[0].rows] == [
        ("nan", "learning", "policy:nan"),
        ("disk-full", "crash", "run:cut"),
    ]
    assert "no claude" in result.note


@pytest.mark.parametrize("content", ["", "garbage", "<testsuites></testsuites>"])
def test_what_is_no_report_is_refused(tmp_path: Path, content: str) -> None:
    report = tmp_path / "slow.xml"
    report.write_text(content)
    with pytest.raises(ValueError, match=r"slow\.xml"):
        figures(report)


def test_a_test_that_was_run_again_counts_as_the_last_time(tmp_path: Path) -> None:
    first, again = tmp_path / "slow.xml", tmp_path / "again.xml"
    first.write_text(_REPORT)
    again.write_text(
        _REPORT.replace('value="run:cut"', 'value="disk:full"').replace(
            '<failure message="no">told</failure>', ""
        )
    )
    values = {each.key: each.value for each in figures(first, again).measures}
    assert (values["passed"], values["failed"], values["drills"]) == (3, 0, 2)


def test_no_fewer_than_no_steps_lie_between_a_failure_and_its_diagnosis(tmp_path: Path) -> None:
    report = tmp_path / "slow.xml"
    report.write_text(_REPORT.replace('name="after_steps" value="0"', 'name="after_steps" value="-1"'))
    assert [row[4] for row in figures(report).tables[0].rows] == [3, 0]
