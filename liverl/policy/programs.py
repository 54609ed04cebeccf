"""Training programs as demonstrations need them: mended, cut into functions, with the words of their instruction."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from liverl.errors import PolicyError


@dataclass(frozen=True)
class Function:
    """A documented function or method: its name and its lines up to the next blank one."""

    name: str
    text: str


@dataclass(frozen=True)
class Program:
    """A mended program of the training tasks, with the symptoms that the tasks' instructions tell."""

    stem: str
    functions: tuple[Function, ...]
    symptoms: tuple[str, ...]


def read_programs(train_tasks: Path) -> tuple[Program, ...]:
    """Every program of a folder of training tasks, once, after the task's own solution was applied.

    Raises `PolicyError` when the folder holds no task, or a task no program.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for task in sorted(path.parent for path in train_tasks.glob("*/task.toml")):
        stem, text = _mended(task)
        symptom = (task / "instruction.md").read_text().splitlines()[0]
        found.setdefault(text, (stem, []))[1].append(symptom)
    if not found:
        raise PolicyError(
            "policy.no_tasks",
            f"no training task in {train_tasks}",
            next_action="set data.train (--train of python -m liverl.policy) to a folder of Harbor task folders",
        )
    return tuple(
        Program(stem, functions_of(text), tuple(symptoms)) for text, (stem, symptoms) in found.items()
    )


def functions_of(text: str) -> tuple[Function, ...]:
    """The documented functions and methods of a program, each as `sed -n '/def NAME(/,/^$/p'` prints it."""
    lines = text.splitlines()
    names = [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
    ]
    result = []
    for name in names:
        start = next(i for i, line in enumerate(lines) if f"def {name}(" in line)
        end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
        result.append(Function(name, "\n".join(lines[start:end])))
    return tuple(result)


def _mended(task: Path) -> tuple[str, str]:
    programs = [path for path in task.glob("environment/app/*.py") if not path.name.startswith("test_")]
    if len(programs) != 1:
        raise PolicyError(
            "policy.task_programs",
            f"{task.name} has {len(programs)} programs, demonstrations need exactly one",
            evidence=", ".join(path.name for path in programs),
            next_action="keep one program a training task, or set data.train (--train of python -m liverl.policy) "
            "to another folder",
        )
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(programs[0], folder)
        solve = ["bash", str((task / "solution" / "solve.sh").resolve())]
        subprocess.run(solve, env={"PATH": os.defpath, "APP": folder}, check=True, timeout=30)
        return programs[0].stem, (Path(folder) / programs[0].name).read_text()
