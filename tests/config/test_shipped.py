"""The files that ship: short, commented, and right on the machines they are for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from liverl.config import PROFILES, Facts, load
from liverl.config.keys import default, fields, nearest

ROOT = PROFILES.parent


def test_the_shipped_config_is_short_and_changes_nothing_that_a_profile_sets(gpu_host: Facts) -> None:
    path = ROOT / "config.yaml"
    assert len(path.read_text().splitlines()) < 80
    shipped = load(path, gpu_host, exists=lambda path: True)
    assert shipped.training.prompts_per_step * shipped.rollout.n == 512


def test_every_key_that_the_shipped_config_comments_on_exists() -> None:
    """Uncommented, `  # steps: 30` has to be a key of the section above it."""
    section, named = "", []
    for line in (ROOT / "config.yaml").read_text().splitlines():
        if heading := re.match(r"(\w+):", line):
            section = heading[1]
        elif offered := re.match(r"  # (\w+): ", line):
            named.append(f"{section}.{offered[1]}")
    assert len(named) > 10
    assert [key for key in named if key not in fields() and not key.startswith("verl.")] == []


def test_the_shipped_config_loads_on_a_machine_without_gpus(laptop: Facts) -> None:
    config = load(ROOT / "config.yaml", laptop, exists=lambda path: True)
    assert config.profile == "cpu"
    assert config.training.steps <= 40


@pytest.mark.parametrize("name", ["cpu", "gpu_8", "smoke"])
def test_a_profile_names_its_hardware_in_two_lines(name: str) -> None:
    header = (PROFILES / f"{name}.yaml").read_text().splitlines()[:3]
    assert header[0].startswith("# Hardware: ")
    assert header[1].startswith("# ")
    assert header[2] == ""


def test_a_profile_holds_only_keys_that_exist() -> None:
    for path in PROFILES.glob("*.yaml"):
        for section, values in yaml.safe_load(path.read_text()).items():
            unknown = [key for key in values if section != "verl" and f"{section}.{key}" not in fields()]
            assert unknown == [], path.name


def test_the_defaults_are_those_of_the_cpu_profile() -> None:
    sections = yaml.safe_load((PROFILES / "cpu.yaml").read_text())
    values = {f"{section}.{name}": value for section in sections for name, value in sections[section].items()}
    # YAML 1.1 reads 4e-4 as text, and so does this package's own reader before it makes it a number.
    given = {
        key: float(value) if key == "algorithm.learning_rate" else value for key, value in values.items()
    }
    assert given == {key: default(key) for key in values}
    assert default("algorithm.learning_rate") == 4e-4


def test_requirements_are_exact_and_name_no_address() -> None:
    for name in ("requirements.txt", "requirements-control.txt"):
        lines = [line for line in (ROOT / name).read_text().splitlines() if not line.startswith("#")]
        assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.!+-]+", line)] == []


def test_the_control_planes_requirements_are_among_all() -> None:
    everything = (ROOT / "requirements.txt").read_text().splitlines()
    control = (ROOT / "requirements-control.txt").read_text().splitlines()
    assert [line for line in control if "==" in line and line not in everything] == []
    assert not any(line.startswith(("torch", "ray=", "verl", "litellm", "harbor")) for line in control)


@pytest.mark.parametrize(("typed", "meant"), [("training.step", "training.steps"), ("rollout.lr", "")])
def test_a_misspelt_key_leads_to_the_nearest_one(typed: str, meant: str) -> None:
    assert nearest(typed) == meant


def test_no_file_of_the_config_names_a_machine() -> None:
    texts = [path.read_text() for path in (ROOT / "config.yaml", *PROFILES.glob("*.yaml"))]
    assert not any(re.search(r"/(home|root|work)/|https?://", text) for text in texts)
    assert Path(ROOT / "LICENSE").read_text().split()[:2] == ["Apache", "License"]
