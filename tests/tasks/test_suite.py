"""The shipped tasks: how many, what of, and that training and validation share families but no program."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.tasks.folders import TaskFolder, read_split

TRAIN, VAL = read_split("train"), read_split("val")
EVERY = [*TRAIN, *VAL]


def _names(tasks: list[TaskFolder]) -> set[str]:
    return {name for task in tasks for name in task.functions}


def test_there_are_enough_tasks_of_each_split() -> None:
    assert len(TRAIN) >= 32
    assert len(VAL) >= 12


def test_at_least_eight_fault_families_and_validation_has_none_of_its_own() -> None:
    train = {task.family for task in TRAIN}
    assert len(train) >= 8
    assert {task.family for task in VAL} == train


@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_a_task_has_harbors_format(task: TaskFolder) -> None:
    assert task.settings["schema_version"] == "1.4"
    assert task.settings["task"]["name"] == f"liverl/{task.name}"
    for part in ("instruction.md", "environment/Dockerfile", "tests/test.sh", "solution/solve.sh"):
        assert (task.path / part).is_file(), part


@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_a_program_has_20_to_200_lines_and_every_part_is_documented(task: TaskFolder) -> None:
    text = task.program.read_text()
    assert 20 <= len(text.splitlines()) <= 200
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bare = [
        getattr(node, "name", "module")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds) and not ast.get_docstring(node)
    ]
    assert set(bare) <= {"__init__"}


@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_the_tests_that_grade_are_those_the_agent_sees(task: TaskFolder) -> None:
    name = f"test_{task.program.name}"
    assert (task.path / "tests" / name).read_text() == (task.path / "environment/app" / name).read_text()


@pytest.mark.parametrize("task", EVERY, ids=lambda task: task.name)
def test_the_instruction_names_the_function_and_does_not_tell_the_fix(task: TaskFolder) -> None:
    assert f"`{task.name.split('-', 1)[1].replace('-', '_')}`" in task.instruction
    new = task.edit.split("|")[2]
    assert new.strip() not in task.instruction.split("`")[0] or len(new.strip()) < 4


def test_the_splits_share_no_file_function_docstring_instruction_or_program() -> None:
    assert not {task.program.name for task in TRAIN} & {task.program.name for task in VAL}
    assert not _names(TRAIN) & _names(VAL)
    assert not {d for t in TRAIN for d in t.docstrings} & {d for t in VAL for d in t.docstrings}
    assert not {task.instruction for task in TRAIN} & {task.instruction for task in VAL}


def test_no_two_validation_tasks_are_mended_by_the_same_substitution() -> None:
    repeated = {edit: count for edit, count in Counter(task.edit for task in VAL).items() if count > 1}
    assert not repeated
