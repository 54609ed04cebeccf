"""No part of an ordinary run loads what drills are made of."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from liverl.config import RunConfig
from liverl.drill.boot import PLUGIN
from liverl.engine.command import compose
from liverl.operate.planning import plan_attempt
from liverl.record.layout import RunDir
from tests.test_imports import PACKAGE, imports, modules, room_of

OTHERS = [path for path in modules() if room_of(path) != "drill"]


def test_no_module_of_another_room_imports_one_of_the_drills() -> None:
    found = [path for path in OTHERS if any(name.startswith("liverl.drill") for _, name in imports(path))]
    assert found == []


def test_only_the_drill_verb_names_the_drills_modules() -> None:
    named = {
        str(path.relative_to(PACKAGE))
        for path in OTHERS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("liverl.drill")
    }
    assert named == {"operate/drill_world.py"}


def test_the_plan_and_the_command_of_an_ordinary_run_name_no_drill(tmp_path: Path) -> None:
    config = RunConfig()
    run = RunDir.create(tmp_path / "run")
    plan = plan_attempt(config, run)
    command = compose(config, run.root)
    told = " ".join(
        [*plan.trainer, *plan.door, *plan.env, *plan.env.values(), *command.argv, *command.env.values()]
    )
    assert "drill" not in told.lower()
    assert PLUGIN not in command.env["VERL_USE_EXTERNAL_MODULES"]


@pytest.mark.parametrize("module", ["liverl.cli.commands", "liverl.operate.launch", "liverl.run.supervisor"])
def test_what_starts_an_ordinary_run_loads_no_drill(module: str) -> None:
    check = f"import sys, {module}; sys.exit(any('drill' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
