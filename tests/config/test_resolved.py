"""resolved.yaml: every value with its origin, and read back exactly."""

from __future__ import annotations

from pathlib import Path

from liverl.config import Facts, RunConfig, describe, read_origins, render_resolved, resolve
from tests.config.conftest import Write

TEXT = """\
algorithm: {learning_rate: 1e-6}
scaffold: {options: {"odd key: #": [1, {a: b}]}}
verl:
  trainer.logger: ["console", "file"]
  "+ray_kwargs.x": "a  # b: 'c'"
  a.none: null
"""


def test_what_is_written_is_read_back_exactly(write: Write, laptop: Facts, tmp_path: Path) -> None:
    resolved = resolve(write(TEXT), laptop)
    path = tmp_path / "resolved.yaml"
    path.write_text(render_resolved(resolved.config, resolved.origins))
    assert RunConfig.read_resolved(path) == resolved.config


def test_origins_are_read_back_too(write: Write, laptop: Facts, tmp_path: Path) -> None:
    resolved = resolve(write(TEXT), laptop)
    path = tmp_path / "resolved.yaml"
    path.write_text(render_resolved(resolved.config, resolved.origins))
    assert read_origins(path) == {key: str(origin) for key, origin in resolved.origins.items()}


def test_each_line_shows_a_value_and_its_origin(write: Write, laptop: Facts) -> None:
    resolved = resolve(write("\ntraining:\n  steps: 7"), laptop)
    lines = render_resolved(resolved.config, resolved.origins).splitlines()
    assert "  steps: 7  # config.yaml:3" in lines
    assert "  grad_clip: 1.0  # default" in lines


def test_every_setting_says_what_it_means(write: Write, laptop: Facts) -> None:
    resolved = resolve(write(TEXT), laptop)
    settings = describe(resolved.config, resolved.origins)
    assert [setting.key for setting in settings if not setting.meaning] == []
