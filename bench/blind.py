"""The best fixed sequence of edits on the validation tasks, blind to every observation.

An action is one substitution. It knows the instruction (the function and the file that it names) and nothing that a
command printed; which substitutions there are, and in which order they come, is chosen with knowledge of the solutions
of all tasks, which is more than a policy could know.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

SOLUTION = re.compile(r"sed -i '/def (?P<function>\w+)\(/,/\^\$/s\|(?P<old>.*)\|(?P<new>.*)\|' (?P<file>\S+)")


@dataclass(frozen=True)
class Edit:
    """A substitution; it is made in the function and the file that the instruction names."""

    old: str
    new: str

    def command(self, function: str, file: str) -> str:
        return f"sed -i '/def {function}(/,/^$/s|{self.old}|{self.new}|' {file}"


@dataclass(frozen=True)
class Fixed:
    """A sequence of edits and the share of the tasks that it solves."""

    edits: tuple[Edit, ...]
    solved: frozenset[str]


class Workshop:
    """Applies edits to the tasks' programs and grades them by the tasks' own tests; remembers every result."""

    def __init__(self, tasks: list[Path]) -> None:
        self.tasks = {task.name: task for task in tasks}
        self.parts = {name: _solution(task) for name, task in self.tasks.items()}
        self._texts: dict[tuple[str, str, Edit], str] = {}
        self._grades: dict[tuple[str, str], bool] = {}

    def program(self, name: str) -> str:
        return (self.tasks[name] / "environment" / "app" / self.parts[name]["file"]).read_text()

    def candidates(self) -> list[Edit]:
        """The substitutions of all solutions: as they stand, and cut down to what they change."""
        edits = {Edit(parts["old"], parts["new"]): None for parts in self.parts.values()}
        edits |= {shortest(edit): None for edit in list(edits)}
        return list(edits)

    def edited(self, name: str, text: str, edit: Edit) -> str:
        """The program after the real command."""
        key = (name, text, edit)
        if key not in self._texts:
            parts = self.parts[name]
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / parts["file"]).write_text(text)
                command = edit.command(parts["function"], parts["file"])
                subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, timeout=30)
                self._texts[key] = (Path(folder) / parts["file"]).read_text()
        return self._texts[key]

    def solves(self, name: str, text: str) -> bool:
        """Whether the task's own verifier passes this program."""
        key = (name, hashlib.sha256(text.encode()).hexdigest())
        if key not in self._grades:
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / self.parts[name]["file"]).write_text(text)
                variables = {"PATH": os.defpath, "APP": folder, "VERIFIER_LOGS": folder}
                test = [str((self.tasks[name] / "tests" / "test.sh").resolve())]
                subprocess.run(test, cwd=folder, env=variables, capture_output=True, timeout=60)
                self._grades[key] = (Path(folder) / "reward.txt").read_text().strip() == "1"
        return self._grades[key]


def shortest(edit: Edit) -> Edit:
    """The edit without what both sides end with, beyond one sign that keeps tokens apart."""
    old, new = edit.old, edit.new
    while len(old) > 2 and len(new) > 2 and old[-2:] == new[-2:]:
        old, new = old[:-1], new[:-1]
    return Edit(old, new)


def best_sequence(tasks: list[Path], length: int, beam: int = 4) -> Fixed:
    """Beam search over sequences of at most `length` edits, each applied after the ones before it."""
    workshop = Workshop(tasks)
    candidates = workshop.candidates()
    start = {name: workshop.program(name) for name in workshop.tasks}
    best = Fixed((), frozenset())
    lines: list[tuple[Fixed, dict[str, str]]] = [(best, start)]
    for _ in range(length):
        longer = []
        for fixed, texts in lines:
            for edit in candidates:
                if edit in fixed.edits:
                    continue
                after = {name: workshop.edited(name, text, edit) for name, text in texts.items()}
                solved = frozenset(name for name, text in after.items() if workshop.solves(name, text))
                longer.append((Fixed((*fixed.edits, edit), solved), after))
        longer.sort(key=lambda line: len(line[0].solved), reverse=True)
        lines = longer[:beam]
        if len(lines[0][0].solved) > len(best.solved):
            best = lines[0][0]
    return best


def _solution(task: Path) -> dict[str, str]:
    found = SOLUTION.search((task / "solution" / "solve.sh").read_text())
    if not found:
        raise SystemExit(f"{task.name}: the solution is no single substitution; this control can't be drawn")
    return found.groupdict()
