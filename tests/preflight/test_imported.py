"""Packages that would be imported from elsewhere are found without importing any, each with both places."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.preflight.context import Context
from liverl.preflight.imported import check_origins, judge_origins
from liverl.preflight.packages import check_packages, installed

MakeContext = Callable[..., Context]
OWN = "/venv/lib/python3.12/site-packages"


@pytest.fixture
def fake_verl(tmp_path: Path) -> Path:
    """A folder with a package called verl, which fails when somebody imports it."""
    (tmp_path / "elsewhere" / "verl").mkdir(parents=True)
    (tmp_path / "elsewhere" / "verl" / "__init__.py").write_text("raise SystemExit('imported')\n")
    return tmp_path / "elsewhere"


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A virtual environment of its own, with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    return tmp_path / "venv"


def test_packages_of_the_environment_are_where_they_should_be(make_context: MakeContext) -> None:
    assert check_origins(make_context()) == []


def test_a_package_of_pythonpath_is_an_error_that_names_both_places(
    make_context: MakeContext, fake_verl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{fake_verl}:/other")
    (finding,) = check_origins(make_context())
    assert (finding.id, finding.severity) == ("packages:elsewhere", "error")
    assert finding.title == "verl would be imported from outside the environment"
    assert f"found {fake_verl / 'verl'}, not {sys.prefix}" in finding.evidence
    assert finding.cure == "export PYTHONPATH=/other"


def test_a_folder_called_verl_in_the_working_folder_is_not_what_a_run_imports(
    make_context: MakeContext, fake_verl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fake_verl)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert check_origins(make_context()) == []


def test_an_editable_installation_elsewhere_is_found_in_another_interpreter(
    make_context: MakeContext, venv: Path, fake_verl: Path
) -> None:
    (folder,) = venv.glob("lib/python3*/site-packages")
    (folder / "__editable__.verl.pth").write_text(f"{fake_verl}\n")
    (finding,) = check_origins(make_context(environment={"venv": str(venv)}))
    assert finding.id == "packages:elsewhere"
    assert f"found {fake_verl / 'verl'}, not {folder}/verl" in finding.evidence
    assert "uv pip uninstall verl" in finding.cure


def test_an_editable_installation_by_an_import_hook_is_found_too(
    make_context: MakeContext, venv: Path, fake_verl: Path
) -> None:
    (folder,) = venv.glob("lib/python3*/site-packages")
    (folder / "scripted_finder.py").write_text(
        "import importlib.util, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        place = {str(fake_verl / 'verl' / '__init__.py')!r}\n"
        "        return importlib.util.spec_from_file_location(name, place) if name == 'verl' else None\n"
        "sys.meta_path.append(Finder())\n"
    )
    (folder / "scripted.pth").write_text("import scripted_finder\n")
    (finding,) = check_origins(make_context(environment={"venv": str(venv)}))
    assert finding.id == "packages:elsewhere"


def test_an_interpreter_that_is_not_there_or_broken_is_fatal(
    make_context: MakeContext, tmp_path: Path
) -> None:
    context = make_context(environment={"venv": str(tmp_path / "none")})
    (finding,) = check_origins(context)
    assert (finding.id, finding.severity) == ("packages:python", "fatal")
    python = tmp_path / "none" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 'Fatal Python error: no encodings' >&2\nexit 1\n")
    python.chmod(0o755)
    (finding,) = check_origins(context)
    assert (finding.id, finding.evidence) == ("packages:python", "Fatal Python error: no encodings")


def test_what_is_not_installed_is_not_elsewhere() -> None:
    assert judge_origins([OWN], {"vllm": None, "ray": f"{OWN}/ray/__init__.py"}, "") == []


def test_a_folder_without_an_init_is_told_as_it_is() -> None:
    (finding,) = judge_origins([OWN], {"verl": "/src/verl"}, "/src")
    assert (finding.evidence, finding.cure) == (f"found /src/verl, not {OWN}/verl", "unset PYTHONPATH")


def test_a_misplaced_package_is_not_hidden_by_right_versions(
    make_context: MakeContext, fake_verl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(fake_verl))
    assert "packages:elsewhere" in [finding.id for finding in check_packages(make_context())]


def test_versions_are_read_from_the_names_of_metadata_folders(tmp_path: Path) -> None:
    for name in (
        "torch-2.11.0+cpu.dist-info",
        "Transfer_Queue-0.1.11.dist-info",
        "old-1.0-py3.12.egg-info",
        "verl",
    ):
        (tmp_path / name).mkdir()
    found = installed([str(tmp_path), "/not/there"])
    assert found == {"torch": "2.11.0+cpu", "transfer-queue": "0.1.11", "old": "1.0"}


def test_of_two_installations_the_first_on_the_path_counts(tmp_path: Path) -> None:
    for folder, version in (("a", "2"), ("b", "1")):
        (tmp_path / folder / f"verl-{version}.dist-info").mkdir(parents=True)
    assert installed([str(tmp_path / "a"), str(tmp_path / "b")]) == {"verl": "2"}
