"""Lines around a byte, whatever the sizes of what is read and of the lines."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from liverl.log import scan
from liverl.log.clean import parse_line
from liverl.log.scan import backwards, forwards, line_start


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_FIRST_BYTES", 16)
    monkeypatch.setattr(scan, "_MOST_BYTES", 64)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[tuple[bytes, int]]:
    chance = random.Random(3)
    content = b"".join(b"%d " % number * chance.randrange(8) + b"\n" for number in range(200)) + b"the end"
    (tmp_path / "log").write_bytes(content)
    descriptor = os.open(tmp_path / "log", os.O_RDONLY)
    yield content, descriptor
    os.close(descriptor)


def test_both_ways_give_every_line_with_its_place(log: tuple[bytes, int]) -> None:
    content, descriptor = log
    expected, at = [], 0
    for line in content.split(b"\n"):
        expected.append((at, line))
        at += len(line) + 1
    on = [line for piece in forwards(descriptor, 0, len(content)) for line in piece.lines]
    back = [line for piece in backwards(descriptor, 0, len(content)) for line in reversed(piece.lines)]
    assert on == expected
    assert back[::-1] == expected


def test_only_lines_with_a_word_are_given_and_the_rest_is_accounted_for(log: tuple[bytes, int]) -> None:
    content, descriptor = log
    pieces = list(backwards(descriptor, 0, len(content), b"17"))
    found = [line for piece in reversed(pieces) for _, line in piece.lines]
    assert found == [line for line in content.split(b"\n") if b"17" in line]
    assert (pieces[0].end, pieces[-1].start) == (len(content), 0)
    assert all(later.start == earlier.end for later, earlier in pairwise(pieces))


@pytest.mark.parametrize(
    "line",
    [
        b"wo\x1b[1mrd",
        b"a wo\x1b[31;1m\x1b[0mrd b",
        b"w\x00ord",
        b"wor\xc2\x85d",
        b"\x1b[36m(A)\x1b[0m wor\x1b[0md",
    ],
)
def test_a_word_that_codes_stand_in_is_found_all_the_same(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "log").write_bytes(b"x\n" * 100 + line + b"\n" + b"\x1b[36m(A)\x1b[0m y\n" * 20)
    descriptor = os.open(tmp_path / "log", os.O_RDONLY)
    size = os.fstat(descriptor).st_size
    on = [text for piece in forwards(descriptor, 0, size, b"word") for _, text in piece.lines]
    back = [text for piece in backwards(descriptor, 0, size, b"word") for _, text in piece.lines]
    os.close(descriptor)
    assert on == back == [line]
    assert "word" in parse_line(line).text


def test_a_line_of_any_length_is_told_by_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "LINE_BYTES", 8)
    path = tmp_path / "log"
    path.write_bytes(b"before\n" + b"0123456789" + b"x" * 1000 + b"\nafter\n")
    descriptor = os.open(path, os.O_RDONLY)
    size = path.stat().st_size
    on = [line for piece in forwards(descriptor, 0, size) for line in piece.lines]
    back = [line for piece in backwards(descriptor, 0, size) for line in reversed(piece.lines)]
    os.close(descriptor)
    assert on == back[::-1] == [(0, b"before"), (7, b"01234567"), (size - 6, b"after")]


def test_a_long_line_that_redraws_itself_is_told_by_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "LINE_BYTES", 8)
    path = tmp_path / "log"
    path.write_bytes(b"".join(b"\r%d%%" % percent for percent in range(101)))
    descriptor = os.open(path, os.O_RDONLY)
    (piece,) = backwards(descriptor, 0, path.stat().st_size)
    os.close(descriptor)
    assert piece.lines == [(0, b"99%\r100%")]


def test_where_a_line_begins(log: tuple[bytes, int]) -> None:
    content, descriptor = log
    assert line_start(descriptor, len(content)) == len(content) - len(b"the end")
    assert line_start(descriptor, 0) == 0
