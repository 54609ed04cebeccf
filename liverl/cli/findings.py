"""What the checks found, as text for a person."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from liverl.operate.check import Checked
from liverl.preflight import Finding

_MARKS = {"fatal": "FATAL", "error": "ERROR", "warn": "warn", "skipped": "skipped", "info": "ok"}


def progress(question: str, _: list[Finding]) -> None:
    """One question was answered; shown on a terminal only, in a line that the next one replaces."""
    if sys.stderr.isatty():
        print(f"\r\x1b[Kasked: {question}", end="", file=sys.stderr, flush=True)


def checked(found: Checked) -> str:
    """Every finding, the verdict, what would be run, and the next action."""
    return f"{listed(found)}\n  next: {found.next_action}"


def listed(found: Checked) -> str:
    """Every finding in a line, with evidence and cure below those that need one; the verdict; what would be run."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    lines = [line for finding in reversed(found.findings) for line in _lines(finding)]
    return "\n".join([*lines, "", found.verdict, *configuration(found.configuration)])


def configuration(values: Mapping[str, str]) -> list[str]:
    """The Run Configuration Summary, a line a value."""
    if not values:
        return []
    width = max(len(name) for name in values) + 2
    return ["", "Run Configuration Summary", *(f"  {name:<{width}}{value}" for name, value in values.items())]


def _lines(finding: Finding) -> list[str]:
    lines = [f"{_MARKS[finding.severity]:<8}{finding.title}"]
    if finding.severity != "info":
        lines += [
            f"        {name}: {text}"
            for name, text in (("seen", finding.evidence), ("cure", finding.cure))
            if text
        ]
    elif finding.evidence:
        lines[0] += f"  ({finding.evidence})"
    return lines
