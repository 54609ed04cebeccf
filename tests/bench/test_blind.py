"""The best fixed edits of a few real tasks, graded by the tasks' own tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.blind import Edit, best_sequence, shortest

VAL = Path(__file__).resolve().parents[2] / "tasks" / "val"
TASKS = [VAL / name for name in ("apiary-weakest", "greenhouse-hottest", "harbour-berth-order")]


@pytest.mark.parametrize("length", [1, 3])
def test_a_fixed_edit_solves_one_task_and_what_it_undoes_is_lost(length: int) -> None:
    fixed = best_sequence(TASKS, length)
    assert 1 <= len(fixed.solved) <= length
    assert len(fixed.edits) <= length
    assert fixed.solved <= {task.name for task in TASKS}


def test_an_edit_is_cut_to_what_it_changes() -> None:
    assert shortest(Edit("max(hive", "min(hive")) == Edit("max(", "min(")
    assert shortest(Edit("ab", "cb")) == Edit("ab", "cb")
