"""Carriage returns that stand for ends of lines, and those by which a bar redraws itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from liverl.log.returns import with_feeds

BAR = "".join(
    f"\rTraining:  {done}%|{'#' * done}| {done}/9 [00:0{done}<00:09,  1.00s/it]" for done in range(9)
)


def told(text: str, tmp_path: Path) -> str | None:
    path = tmp_path / "a.log"
    path.write_bytes(text.encode())
    descriptor = os.open(path, os.O_RDONLY)
    try:
        found = with_feeds(descriptor, text.encode()[:64], path.stat().st_size)
    finally:
        os.close(descriptor)
    return None if found is None else found.decode()


def test_pieces_between_returns_alone_are_lines(tmp_path: Path) -> None:
    assert told("step:1\rstep:2\r\rKilled\r", tmp_path) == "step:1\nstep:2\n\nKilled\n"
    assert told("step:1\rKilled\r\n", tmp_path) == "step:1\nKilled\n"


@pytest.mark.parametrize(
    "text",
    ["step:1\nstep:2\n", "step:1\r\nstep:2\r\n", BAR, BAR + "\r\n", "a\r" * 99 + "b\nc\r", "step:1", ""],
)
def test_a_text_with_line_feeds_and_a_bar_stay_as_they_are(text: str, tmp_path: Path) -> None:
    assert told(text, tmp_path) is None
