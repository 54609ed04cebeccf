"""A run directory of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.record.layout import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir.create(tmp_path / "policy-shell-0101a")
