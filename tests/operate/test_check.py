"""A check ends in its time whatever hangs, and says what that is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from liverl.operate.check import check
from liverl.operate.find import Place
from liverl.operate.profile import Asked, read_profile


def test_a_check_ends_though_the_models_folder_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for folder in ("model", "tasks/train", "tasks/val"):
        (tmp_path / folder).mkdir(parents=True)
    os.mkfifo(tmp_path / "model" / "config.json")
    (tmp_path / "config.yaml").write_text(f"profile: cpu\nmodel: {{path: {tmp_path / 'model'}}}\n")
    began = time.monotonic()
    found = check(read_profile(Asked(), Place(tmp_path)))
    assert time.monotonic() - began < 10
    assert "place:hangs" in {finding.id for finding in found.blocking}
    assert not found.ok and found.configuration == {}
