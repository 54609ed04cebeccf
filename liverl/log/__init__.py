"""Bytes of a log as lines, and lines as training steps."""

from __future__ import annotations

from liverl.log.lines import LineReader, cause_line, clean, last_words, tail_lines
from liverl.log.steps import StepLine, last_step, parse_step

__all__ = [
    "LineReader",
    "StepLine",
    "cause_line",
    "clean",
    "last_step",
    "last_words",
    "parse_step",
    "tail_lines",
]
