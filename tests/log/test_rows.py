"""The last rows of a growing file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from liverl.log import rows as rows_module
from liverl.log.rows import LastRows, decode_row, number, rows_up_to, whole


def write(path: Path, steps: range, pad: int = 0) -> None:
    with path.open("a") as stream:
        for step in steps:
            stream.write(json.dumps({"step": step, "pad": "x" * pad}) + "\n")


def steps(rows: list[dict[str, object]]) -> list[object]:
    return [row["step"] for row in rows]


def test_the_last_rows_are_kept_as_the_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    last = LastRows(path, keep=3, last_bytes=1000)
    assert last.read() == []
    write(path, range(10))
    assert steps(last.read()) == [7, 8, 9]
    write(path, range(10, 12))
    assert steps(last.read()) == [9, 10, 11]


def test_a_file_that_was_rewritten_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    write(path, range(5))
    last = LastRows(path, keep=10, last_bytes=1000)
    last.read()
    path.unlink()
    write(path, range(3))
    assert steps(last.read()) == [0, 1, 2]


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b'{"step": 1}\n\xff\xfe\n[1]\n{"step": 2\n' + b"[" * 5000 + b'\n{"step": 3}\n{"step"')
    assert steps(LastRows(path, keep=10, last_bytes=100_000).read()) == [1, 3]


@pytest.mark.parametrize("step", [0, 1, 57, 500, 998, 999, 2000])
def test_the_rows_up_to_a_step_are_found_in_a_long_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(rows_module, "_LOOK_BYTES", 256)
    path = tmp_path / "rows"
    write(path, range(1000), pad=50)
    found = steps(rows_up_to(path, step, 2000))
    last = min(step, 999)
    assert found == list(range(max(0, last - len(found) + 1), last + 1))
    assert len(found) >= min(step + 1, 10)


def test_the_rows_of_a_missing_or_senseless_file_are_none(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"\x00\xff" * 200_000)
    assert rows_up_to(tmp_path / "missing", 3, 1000) == rows_up_to(tmp_path / "noise", 3, 1000) == []


def test_only_finite_numbers_are_numbers() -> None:
    row = decode_row(
        b'{"a": 1, "b": true, "c": NaN, "d": "1", "e": 1e400, "f": null, "g": 2.5, "h": 1' + b"0" * 400 + b"}"
    )
    assert row is not None
    assert [number(row, key) for key in "abcdefgh"] == [1.0, None, None, None, None, None, 2.5, None]
    assert [whole(row, key) for key in "abcg"] == [1, None, None, None]
