"""The newest trials of a growing run, of which each look reads only what is new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from liverl.operate.diagnose import Doctor
from liverl.operate.trial_rows import TrialRows
from liverl.record.jsonl import encode
from liverl.record.trials import append_trial
from tests.operate.made import Made, trial_row


def line(number: int) -> bytes:
    return encode(trial_row(trial=f"t-{number:04d}").as_dict()) + b"\n"


def names(rows: TrialRows) -> list[str]:
    return [row.trial for row in rows.read()]


def test_each_look_adds_what_is_new_and_reads_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    rows = TrialRows(path)
    assert names(rows) == []
    path.write_bytes(line(1) + line(2))
    assert names(rows) == ["t-0001", "t-0002"]
    with path.open("r+b") as stream:  # what was read is overwritten: only its beginning tells the file
        stream.seek(100)
        stream.write(b"x" * 300)
        stream.seek(0, os.SEEK_END)
        stream.write(line(3) + line(4)[:50])
    assert names(rows) == ["t-0001", "t-0002", "t-0003"]
    with path.open("ab") as stream:
        stream.write(line(4)[50:])
    assert names(rows) == ["t-0001", "t-0002", "t-0003", "t-0004"]


def test_only_the_last_bytes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(b"".join(map(line, range(20))))
    rows = TrialRows(path, last_bytes=5 * len(line(0)))
    assert names(rows) == [f"t-{number:04d}" for number in range(15, 20)]
    with path.open("ab") as stream:
        stream.write(line(20))
    assert names(rows) == [f"t-{number:04d}" for number in range(16, 21)]


def test_another_file_in_its_place_is_read_anew_and_a_broken_row_left_out(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    path.write_bytes(line(1) + line(2))
    rows = TrialRows(path)
    rows.read()
    path.unlink()
    path.write_bytes(b'{"trial": 3}\nnothing\n' + line(7))
    assert names(rows) == ["t-0007"]


def test_a_diagnosis_reads_the_trials_once_for_its_facts_and_its_attribution(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made("r", steps=((1, 0.25), (2, 0.5)))
    for step in (1, 2):
        for number in range(16):
            append_trial(run, trial_row(trial=f"t-{step}-{number}", step=step, split="train", reward=0.5))
    doctor = Doctor(run)
    assert doctor.look().attribution is not None
    with run.trials_jsonl.open("r+b") as stream:  # nobody reads these again
        stream.seek(100)
        stream.write(b"x" * 1000)
    again = doctor.look()
    assert again.attribution is not None and again.attribution.first == (1, 1)
