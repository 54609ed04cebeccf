"""The scaffold is asked of the data plane, in a real process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.scaffolds import check_scaffolds

MakeContext = Callable[..., Context]


def test_the_shell_can_be_run(make_context: MakeContext) -> None:
    (finding,) = check_scaffolds(make_context())
    assert (finding.id, finding.severity) == ("scaffold:found", "info")


def test_claude_code_without_its_binary_is_fatal(make_context: MakeContext, tmp_path: Path) -> None:
    options = {"binary": str(tmp_path / "claude")}
    (finding,) = check_scaffolds(make_context(scaffold={"name": "claude-code", "options": options}))
    assert (finding.id, finding.severity) == ("scaffold:unusable", "fatal")
    assert str(tmp_path / "claude") in finding.evidence
    assert "scaffold.options.binary" in finding.cure


def test_a_misspelt_class_is_fatal_with_a_cure(make_context: MakeContext) -> None:
    scaffold = {"name": "liverl.scaffold.shell:ShelAgent"}
    (finding,) = check_scaffolds(make_context(scaffold=scaffold))
    assert (finding.id, finding.severity) == ("scaffold:unusable", "fatal")
    assert "ShelAgent" in finding.evidence
    assert "scaffold.name" in finding.cure


def test_a_module_of_the_working_folder_is_not_taken_for_one_that_the_run_finds(
    make_context: MakeContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "homemade.py").write_text("class Agent: pass\n")
    monkeypatch.chdir(tmp_path)
    (finding,) = check_scaffolds(make_context(scaffold={"name": "homemade:Agent"}))
    assert finding.id == "scaffold:unusable"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (finding,) = check_scaffolds(make_context(scaffold={"name": "homemade:Agent"}))
    assert finding.id == "scaffold:found"
