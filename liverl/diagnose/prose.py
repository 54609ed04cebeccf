"""What a finding tells of a write-up's prose: the first paragraph of a section, the command that makes sure."""

from __future__ import annotations

import re


def first_sentence(prose: str) -> str:
    """The first paragraph of a section on one line."""
    return " ".join(prose.split("\n\n")[0].split())


def command(prose: str) -> str:
    """The first command of a section (in a fence, or in backticks: one alone on its line before a word that the prose
    quotes), else its first paragraph."""
    if fenced := re.search(r"```\w*\n(.+?)\n```", prose, re.DOTALL):
        return " ".join(fenced.group(1).split("\n")[0].split())
    if ticked := re.search(r"^`([^`\n]+)`$", prose, re.MULTILINE) or re.search(r"`([^`]+)`", prose):
        return ticked.group(1)
    return first_sentence(prose)
