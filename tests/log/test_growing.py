"""What a growing file has gained."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from liverl.log import growing
from liverl.log.growing import NewLines


def read(lines: NewLines) -> list[bytes]:
    return [line for block in lines.read() for line in block]


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(content)


def test_only_whole_lines_are_given_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = NewLines(path)
    assert read(lines) == []
    path.write_bytes(b"one\ntw")
    assert read(lines) == [b"one"]
    append(path, b"o\n\nfour")
    assert read(lines) == [b"two", b""]
    assert read(lines) == []


def test_a_truncated_a_replaced_and_a_rewritten_file_begin_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"first line\nsecond\n")
    lines = NewLines(path)
    read(lines)
    path.write_bytes(b"short\n")
    assert (read(lines), lines.restarts) == ([b"short"], 1)
    draft = tmp_path / "draft"
    draft.write_bytes(b"short\nand more\n")
    draft.replace(path)
    assert (read(lines), lines.restarts) == ([b"short", b"and more"], 2)
    with path.open("r+b") as stream:
        stream.write(b"SHORT\nAND MORE\nAND MORE\n")
    assert (read(lines), lines.restarts) == ([b"SHORT", b"AND MORE", b"AND MORE"], 3)


def test_a_file_that_vanished_and_came_back_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    lines = NewLines(path)
    assert read(lines) == [b"one"]
    path.rename(tmp_path / "away")
    assert read(lines) == []
    path.write_bytes(b"two\n")
    assert read(lines) == [b"two"]


def test_only_the_last_bytes_are_read_from_a_lines_beginning_on(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"aaaa\nbbbb\ncccc\n")
    assert read(NewLines(path, last_bytes=7)) == [b"cccc"]
    assert read(NewLines(path, last_bytes=10)) == [b"bbbb", b"cccc"]
    assert read(NewLines(path, last_bytes=999)) == [b"aaaa", b"bbbb", b"cccc"]


def test_a_line_too_long_for_a_row_is_passed_over_however_slowly_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "BLOCK_BYTES", 10)
    monkeypatch.setattr(growing, "_LONGEST_LINE", 25)
    path = tmp_path / "log"
    lines = NewLines(path)
    path.write_bytes(b"ok\n" + b"x" * 40)
    assert read(lines) == [b"ok"]
    append(path, b"y" * 40)
    assert read(lines) == []
    append(path, b"z\nagain\n")
    assert read(lines) == [b"again"]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/nowhere")])
def test_what_is_no_regular_file_has_no_lines_and_holds_nobody(tmp_path: Path, make: object) -> None:
    path = tmp_path / "log"
    make(path)  # type: ignore[operator]
    assert read(NewLines(path)) == []
