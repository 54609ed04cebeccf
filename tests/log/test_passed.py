"""How far a run without metrics got after a line, and that what it survived did not end it."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.log.passed import marks_in, marks_of
from liverl.log.reader import Reader
from liverl.log.sighting import LinePattern
from liverl.log.told import Told

OOM = LinePattern("oom", r"CUDA out of memory")
SAID = "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"
COUNTED = "(main_task pid=7) epoch 0, step {0}"
DRAWN = "(TaskRunner pid=7) Training Progress:  {0}%|#   | {0}/200 [{0:02d}:10<6:25:09, 56.2s/it]"


def told(folder: Path, lines: list[str]) -> Told:
    log = folder / "run.log"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Reader(log, (OOM,)).read()


def run_of(first: int, last: int, mark: str) -> list[str]:
    return [
        text for step in range(first, last + 1) for text in (mark.format(step), f"Extracted answer: {step}")
    ]


@pytest.mark.parametrize("mark", [COUNTED, DRAWN])
def test_steps_that_are_only_counted_are_survived_lines_too(tmp_path: Path, mark: str) -> None:
    found = told(
        tmp_path, [*run_of(1, 20, mark), "Traceback (most recent call last):", SAID, *run_of(21, 59, mark)]
    )

    assert not len(found.series) and found.facts["ended"] == "cut"
    assert found.facts["steps"] == found.facts["last_step"] == (58 if mark == COUNTED else 59)
    assert found.sightings["oom"].last.steps_after == 38


@pytest.mark.parametrize("mark", [COUNTED, DRAWN])
def test_a_line_behind_the_last_step_is_survived_by_none(tmp_path: Path, mark: str) -> None:
    crash = ["Error executing job with overrides: []", "Traceback (most recent call last):", SAID]
    # The bar is drawn once more as it stood.
    found = told(tmp_path, [*run_of(1, 20, mark), *crash, mark.format(20)])

    assert found.facts["ended"] == "exception"
    assert found.sightings["oom"].last.steps_after == 0


def test_a_crash_far_above_counted_steps_ended_nothing(tmp_path: Path) -> None:
    crash = ["Error executing job with overrides: []", "Traceback (most recent call last):", SAID]

    assert told(tmp_path, [*crash, *run_of(1, 30, COUNTED)]).facts["ended"] == "cut"


def test_bars_of_loaders_and_of_other_totals_are_no_steps() -> None:
    loading = "\n".join(
        f"Loading checkpoint shards:  25%|#   | {at}/4 [00:02<00:07,  2.40s/it]" for at in range(4)
    )
    other = "Training Progress:  10%|#   | 1/10 [00:02<00:07,  2.40s/it]"
    own = "Training Progress:  25%|#   | 1/4 [00:02<00:07,  2.40s/it]\nepoch 3, step 9"

    assert list(marks_in(f"{loading}\n{other}".encode(), 4)) == []
    assert [step for _, step in marks_in(own.encode(), 4)] == [1, 8]


def test_marks_are_found_in_a_log_of_many_words_a_step(tmp_path: Path) -> None:
    words = [f"Doc {number}: a document that says nothing" for number in range(900)]
    log = tmp_path / "run.log"
    lines = [text for step in range(1, 12) for text in (COUNTED.format(step), *words)]
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")

    with log.open("rb") as file:
        found = marks_of(file.fileno(), log.stat().st_size, len(lines), 0)
    assert found.last == 10
    assert lines[found.line - 1] == COUNTED.format(9)


def test_rows_of_validations_alone_are_no_steps(tmp_path: Path) -> None:
    validated = "(main_task pid=7) \"Initial validation metrics: {'val/test_score/nq': 0.1}\""
    found = told(tmp_path, [validated, *run_of(1, 20, COUNTED), SAID, *run_of(21, 59, COUNTED)])

    assert len(found.series) == 1 and found.facts["steps"] == 58
    assert found.sightings["oom"].last.steps_after == 38
