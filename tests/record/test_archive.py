"""The archive of an attempt, and the ledger of a run root."""

from __future__ import annotations

import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from liverl.record.archive import archive_attempt
from liverl.record.layout import RunDir
from liverl.record.ledger import LEDGER, read_ledger, status_of
from liverl.record.metrics import MetricsFile
from liverl.record.plan import AttemptPlan
from liverl.record.runfile import Attempt

ATTEMPT = Attempt(
    1,
    "2026-01-01T00:00:00.000Z",
    "host",
    "boot",
    "pid:[1]",
    state="stopped",
    ended="2026-01-01T00:01:30.000Z",
    reason="asked to (a test)",
)
PLAN = AttemptPlan(1, "r", 30, (), versions={"verl": "0.9.1"}, commit="abc", dirty=True)


@pytest.fixture
def trained(tmp_path: Path) -> RunDir:
    run = RunDir.create(tmp_path / "r")
    run.config.write_text("profile: cpu\n")
    run.resolved.write_text("training: {}\n")
    run.attempt_log(1).write_text("".join(f"line {number}\n" for number in range(500)))
    metrics = MetricsFile(run)
    for step, reward, validation in ((0, None, 0.1), (1, 0.2, None), (2, 0.3, 0.6), (3, 0.4, 0.5)):
        row = {"step": step, "attempt": 1, "trial/reward/mean": reward, "trial/val/reward/mean": validation}
        metrics.add({key: value for key, value in row.items() if value is not None})
    return run


def archive(run: RunDir, attempt: Attempt = ATTEMPT, code: int = 130) -> str:
    return archive_attempt(run, attempt, PLAN, code)


def test_neither_the_log_nor_the_reason_in_an_archive_holds_a_secret(trained: RunDir) -> None:
    secret = "sk-proj-abcdefghijklmnop"
    with trained.attempt_log(1).open("a") as log:
        log.write(f"AuthenticationError: Incorrect API key provided: {secret}\n")
    archive(trained, replace(ATTEMPT, reason=f"AuthenticationError: {secret}"))
    root = trained.root.parent
    written = [path.read_text() for path in (root / "archives" / "run_001").iterdir()]
    assert not any(secret in text for text in (*written, (root / LEDGER).read_text()))
    assert read_ledger(root)[0].reason == "AuthenticationError: sk-***"


def test_an_archive_holds_the_config_the_facts_and_the_end_of_the_log(trained: RunDir) -> None:
    assert archive(trained) == "run_001"
    folder = trained.root.parent / "archives" / "run_001"
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.yaml", "log_tail.txt", "metadata.json", "resolved.yaml",
    ]  # fmt: skip
    lines = (folder / "log_tail.txt").read_text().splitlines()
    assert (len(lines), lines[-1]) == (200, "line 499")
    facts = json.loads((folder / "metadata.json").read_text())
    assert facts["validation"] == {
        "first": {"step": 0, "reward": 0.1},
        "last": {"step": 3, "reward": 0.5},
        "best": {"step": 2, "reward": 0.6},
    }
    told = {key: facts[key] for key in ("status", "exit_code", "seconds", "steps", "steps_made", "reward")}
    assert told == {
        "status": "interrupted", "exit_code": 130, "seconds": 90.0, "steps": 3, "steps_made": 3, "reward": 0.4,
    }  # fmt: skip
    assert (facts["versions"], facts["commit"], facts["dirty"]) == ({"verl": "0.9.1"}, "abc", True)


def test_the_ledger_says_it_in_one_row(trained: RunDir) -> None:
    archive(trained)
    (row,) = read_ledger(trained.root.parent)
    assert (row.id, row.run, row.attempt, row.status) == ("run_001", "r", 1, "interrupted")
    assert (row.steps, row.reward, row.validation, row.archive) == (3, 0.4, 0.5, "archives/run_001")


def test_an_attempt_is_archived_once_and_a_later_run_of_its_name_again(trained: RunDir) -> None:
    assert archive(trained) == "run_001"
    assert archive(trained) == ""
    assert archive(trained, replace(ATTEMPT, started="2026-01-02T00:00:00.000Z")) == "run_002"
    assert archive(trained, replace(ATTEMPT, number=2)) == "run_003"
    shutil.rmtree(trained.root)
    assert [row.id for row in read_ledger(trained.root.parent)] == ["run_001", "run_002", "run_003"]


def test_a_folder_whose_writer_was_killed_before_the_row_gets_its_row_and_no_second_folder(
    trained: RunDir,
) -> None:
    archive(trained)
    (trained.root.parent / LEDGER).unlink()
    assert archive(trained) == "run_001"
    assert [row.id for row in read_ledger(trained.root.parent)] == ["run_001"]
    assert [path.name for path in (trained.root.parent / "archives").glob("[!.]*")] == ["run_001"]


def test_a_number_that_a_killed_writer_took_is_not_given_again(trained: RunDir) -> None:
    (trained.root.parent / "archives" / "run_007").mkdir(parents=True)
    assert archive(trained) == "run_008"


def test_writers_at_once_make_one_archive(trained: RunDir) -> None:
    together = threading.Barrier(4)

    def write() -> str:
        together.wait(10)
        return archive(trained)

    with ThreadPoolExecutor(4) as pool:
        names = [made.result() for made in [pool.submit(write) for _ in range(4)]]
    assert sorted(names) == ["", "", "", "run_001"]
    assert len(read_ledger(trained.root.parent)) == 1


def test_what_is_missing_is_left_out(tmp_path: Path) -> None:
    run = RunDir.create(tmp_path / "empty")
    assert archive_attempt(run, ATTEMPT, None, 3) == "run_001"
    (row,) = read_ledger(tmp_path)
    assert (row.status, row.steps, row.reward, row.validation) == ("failed", 0, None, None)


def test_a_folder_that_cannot_be_written_leaves_no_draft(trained: RunDir) -> None:
    trained.config.unlink()
    trained.config.mkdir()
    trained.attempt_log(1).unlink()
    trained.attempt_log(1).mkdir()
    with pytest.raises(OSError, match="directory"):
        archive(trained)
    assert [path.name for path in (trained.root.parent / "archives").iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("code", "status"),
    [(0, "completed"), (130, "interrupted"), (143, "interrupted"), (137, "failed"), (3, "failed")],
)
def test_the_status_is_by_exit_code(code: int, status: str) -> None:
    assert status_of(code) == status
