"""Stand-ins for programs of others, put before them on PATH: they answer, fail or hang as a test says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

PutProgram = Callable[[str, str], Path]
HANGING = "sleep 600 & sleep 600"  # a child too, which holds its output open


@pytest.fixture
def put_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PutProgram:
    """Makes an executable of a name that runs some lines of shell, its arguments in "$@"."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(name: str, lines: str) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return path

    return put


@pytest.fixture
def only_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH on which nothing is found."""
    folder = tmp_path / "nothing"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder
