"""The list of all attempts that have ended."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from liverl.operate.answer import as_json
from liverl.operate.archive import ledger
from liverl.operate.find import Place
from liverl.record.ledger import LEDGER, LedgerRow, append_row


def row(number: int, status: str = "completed", **changes: object) -> LedgerRow:
    plain: dict[str, object] = {
        "id": f"run_{number:03d}",
        "run": f"r{number}",
        "attempt": 1,
        "started": f"2026-01-{number:02d}T00:00:00.000Z",
        "ended": f"2026-01-{number:02d}T01:00:00.000Z",
        "status": status,
        "exit_code": 0 if status == "completed" else 130,
        "seconds": 3600.0,
        "steps": 20,
        "reward": 0.5,
        "archive": f"archives/run_{number:03d}",
    }
    return LedgerRow(**{**plain, **changes})  # type: ignore[arg-type]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "runs").mkdir()
    return Place(tmp_path, tmp_path / "runs")


def test_without_a_ledger_no_attempt_has_ended(place: Place) -> None:
    found = ledger(place)
    assert (found.ok, found.summary, found.next_action) == (True, "No attempt has ended yet", "liverl run")


def test_the_newest_come_first_and_no_more_than_were_asked_for(place: Place) -> None:
    assert place.run_root is not None
    for number in (2, 1, 3):
        append_row(place.run_root, row(number, "interrupted" if number == 3 else "completed"))
    found = ledger(place, last=2)
    assert [entry.row.run for entry in found.entries] == ["r3", "r2"]
    assert found.summary == "3 attempts have ended: 2 completed, 1 interrupted"
    assert found.lines()[1] == (
        "  2026-01-03T01:00  r3, attempt 1: interrupted (130), 20 steps in 3600 s  reward 0.50  (its directory is gone)"
    )
    assert found.next_action == f"cat {place.run_root}/archives/run_003/metadata.json"
    assert as_json(found)["total"] == 3


def test_a_directory_that_was_deleted_is_said_to_be_gone(place: Place) -> None:
    assert place.run_root is not None
    for number in (1, 2):
        append_row(place.run_root, row(number))
        (place.run_root / f"r{number}").mkdir()
    shutil.rmtree(place.run_root / "r2")
    assert [(entry.row.run, entry.is_there) for entry in ledger(place).entries] == [
        ("r2", False),
        ("r1", True),
    ]


def test_what_is_no_row_is_left_out_and_a_ledger_that_is_a_folder_is_named(place: Place) -> None:
    assert place.run_root is not None
    path = place.run_root / LEDGER
    path.write_text(
        json.dumps({"id": 3}) + "\nnonsense\n" + json.dumps({"id": "x", "run": "r", "attempt": True}) + "\n"
    )
    append_row(place.run_root, row(1))
    assert [entry.row.run for entry in ledger(place).entries] == ["r1"]
    path.unlink()
    path.mkdir()
    found = ledger(place)
    assert not found.ok
    assert LEDGER in found.unreadable[0]
