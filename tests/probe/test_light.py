"""A light look tries nothing and imports nothing heavy: what it can't know is said to be untried."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from liverl.config import RunConfig
from liverl.probe.model import answer as read_model
from liverl.probe.scaffold import answer as find_scaffold
from liverl.probe.scaffold import is_defined
from tests.probe.conftest import LAPTOP, ROOT, answer, resolved, start

_PROGRAM = """
import sys
from liverl.probe.__main__ import main
main([sys.argv[1], "--json", "--light", "--config", sys.argv[2]])
names = ("torch", "ray", "verl", "vllm", "litellm", "harbor.trial")
print(*[name for name in names if sys.modules.get(name) is not None])
"""


@pytest.fixture
def config(model_folder: Path, tmp_path: Path) -> Path:
    file = tmp_path / "resolved.yaml"
    file.write_text(resolved(LAPTOP, model__path=str(model_folder)))
    return file


@pytest.mark.parametrize("name", ["scaffold", "model", "template", "chain", "tasks"])
def test_no_heavy_package_is_imported(name: str, config: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, name, str(config)],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        cwd=ROOT,
        check=True,
    )
    told, heavy = done.stdout.splitlines()
    assert "error" not in json.loads(told)
    assert heavy == ""


def test_tasks_that_are_not_remembered_are_not_tried(tmp_path: Path) -> None:
    rows = answer(start("tasks", resolved(LAPTOP), tmp_path, "--light"))["tasks"]
    assert rows
    assert all(row["unchecked"] for row in rows)


def test_the_model_is_read_and_only_its_forward_pass_waits(model_folder: Path, tmp_path: Path) -> None:
    text = resolved(LAPTOP, model__path=str(model_folder))
    light = answer(start("model", text, tmp_path, "--light"))
    assert (light["architecture"], light["agreement"]) == ("LlamaForCausalLM", {"untried": True})


def test_a_forward_pass_that_agreed_is_remembered_until_the_model_changes(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "model"
    folder.mkdir()
    for file in model_folder.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = RunConfig.model_validate({"model": {"path": str(folder)}})

    def told(light: bool) -> Any:
        return read_model(config, 60.0, light)["agreement"]

    assert told(True) == {"untried": True}
    assert told(False)["gap"] < 1e-4
    assert told(True)["gap"] < 1e-4
    (folder / "generation_config.json").write_text("{}")
    assert told(True) == {"untried": True}


def test_a_class_is_found_in_its_file_without_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "homemade"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "agents.py").write_text("from elsewhere import Other as Taken\nclass Agent: pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert is_defined("homemade.agents", "Agent")
    assert is_defined("homemade.agents", "Taken")
    assert not is_defined("homemade.agents", "Other")
    assert not is_defined("homemade.none", "Agent")
    assert not is_defined("homemade.agents", "")
    config = RunConfig.model_validate({"scaffold": {"name": "homemade.agents:Agent"}})
    assert "not imported" in find_scaffold(config, 60.0, True)["agent"]
