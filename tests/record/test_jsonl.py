"""Files of one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path

from liverl.record.jsonl import JsonlTail, append_object, read_objects, write_by_rename


def test_a_torn_line_is_skipped_and_the_next_row_starts_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    append_object(path, {"a": 1})
    with path.open("a") as stream:
        stream.write('{"a": 2, "tor')
    append_object(path, {"a": 3})
    assert [row["a"] for row in read_objects(path)] == [1, 3]


def test_a_tail_gives_each_row_once_and_waits_for_the_end_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    tail = JsonlTail(path)
    assert tail.read() == []
    append_object(path, {"a": 1})
    with path.open("a") as stream:
        stream.write('{"a": ')
    assert tail.read() == [{"a": 1}]
    with path.open("a") as stream:
        stream.write("2}\n")
    assert tail.read() == [{"a": 2}]
    assert tail.read() == []


def test_a_tail_starts_over_when_the_file_was_truncated(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    tail = JsonlTail(path)
    tail.read()
    path.write_text('{"a": 3}\n')
    assert tail.read() == [{"a": 3}]


def test_a_number_that_is_not_finite_is_written_as_null(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    append_object(path, {"a": float("nan"), "b": [float("inf"), 1.5]})
    assert json.loads(path.read_text()) == {"a": None, "b": [None, 1.5]}


def test_rows_that_are_no_objects_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('[1]\nnull\n"x"\n{"a": 1}\n\n')
    assert list(read_objects(path)) == [{"a": 1}]


def test_replacing_a_file_leaves_no_draft_behind(tmp_path: Path) -> None:
    write_by_rename(tmp_path / "x", b"1")
    write_by_rename(tmp_path / "x", b"2")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_bytes() == b"2"
