"""Processes of the data plane, relayed."""

from __future__ import annotations

from liverl.operate.dataplane import relay


def test_every_line_is_relayed_and_the_exit_status_kept() -> None:
    lines: list[str] = []
    ended = relay("liverl.run.supervisor", ["--help"], lines.append)
    assert ended.exit_status == 0
    assert lines[0].startswith("usage: python -m liverl.run.supervisor")


def test_errors_come_with_the_last_lines() -> None:
    ended = relay("liverl.run.supervisor", ["/nonexistent"], lambda line: None)
    assert ended.exit_status == 1
    assert any("run.no_plan" in line for line in ended.lines)
