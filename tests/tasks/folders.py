"""The task folders that ship, as the tests of this room read them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

TASKS = Path(__file__).resolve().parents[2] / "tasks"


@dataclass(frozen=True)
class TaskFolder:
    """One task folder and what is read from it."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def settings(self) -> dict[str, dict[str, str]]:
        return tomllib.loads((self.path / "task.toml").read_text())

    @property
    def family(self) -> str:
        return self.settings["metadata"]["fault_family"]

    @property
    def instruction(self) -> str:
        return (self.path / "instruction.md").read_text()

    @property
    def program(self) -> Path:
        (program,) = (
            path for path in self.path.glob("environment/app/*.py") if not path.name.startswith("test_")
        )
        return program

    @property
    def functions(self) -> set[str]:
        return {
            node.name
            for node in ast.walk(ast.parse(self.program.read_text()))
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
        }

    @property
    def docstrings(self) -> set[str]:
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        found = (
            ast.get_docstring(node)
            for node in ast.walk(ast.parse(self.program.read_text()))
            if isinstance(node, kinds)
        )
        return {text for text in found if text}

    @property
    def edit(self) -> str:
        """The substitution of the solution."""
        found = re.search(r"/,/\^\$/(s\|.*\|.*\|)' ", (self.path / "solution" / "solve.sh").read_text())
        assert found
        return found.group(1)


def read_split(split: str) -> list[TaskFolder]:
    """Every task folder of a split, by name."""
    return [TaskFolder(path) for path in sorted((TASKS / split).iterdir()) if path.is_dir()]


def shell(command: list[str], app: Path, logs: Path) -> str:
    """Standard output of a command in the program's folder, with nothing of this process's environment."""
    variables = {"PATH": os.defpath, "APP": str(app), "VERIFIER_LOGS": str(logs)}
    done = subprocess.run(command, cwd=app, env=variables, capture_output=True, text=True, timeout=60)
    return done.stdout
