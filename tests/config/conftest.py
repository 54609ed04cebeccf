"""A folder with a config.yaml of the test's own, and the tasks it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liverl.config import Facts

Write = Callable[[str], Path]


@pytest.fixture
def laptop() -> Facts:
    return Facts(gpus=0, cores=2, memory_gb=24.0)


@pytest.fixture
def gpu_host() -> Facts:
    return Facts(gpus=8, cores=96, memory_gb=1500.0)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    for name in ("train", "val"):
        (tmp_path / "tasks" / name).mkdir(parents=True)

    def written(text: str) -> Path:
        path = tmp_path / "config.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return written
