"""What an answer is remembered by changes when what it depends on does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from liverl.probe import digests
from liverl.probe.digests import digest_of, model_digest, rooms_digest, versions


def test_a_models_digest_changes_with_a_files_content_and_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    before = model_digest(tmp_path)
    assert model_digest(tmp_path) == before
    (tmp_path / "config.json").write_text("[]")
    changed = model_digest(tmp_path)
    (tmp_path / "config.json").rename(tmp_path / "other.json")
    assert len({before, changed, model_digest(tmp_path)}) == 3


def test_a_large_file_is_known_by_its_size_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_WHOLE_BYTES", 3)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"1234")
    os.utime(weights, ns=(5, 5))
    before = model_digest(tmp_path)
    weights.write_bytes(b"5678")
    os.utime(weights, ns=(5, 5))
    assert model_digest(tmp_path) == before
    os.utime(weights, ns=(6, 6))
    assert model_digest(tmp_path) != before


def test_rooms_versions_and_order_count() -> None:
    assert rooms_digest("gateway") != rooms_digest("gateway", "engine/cpu")
    assert versions("verl", "no-such-package") == ["verl 0.9.1", "no-such-package -"]
    assert digest_of("a", "b") != digest_of("b", "a")
