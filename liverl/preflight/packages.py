"""Are the data plane's packages there, in the versions that requirements.txt pins?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from liverl.config import PROFILES
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding

REQUIREMENTS = PROFILES.parent / "requirements.txt"
# What this package drives through internals, or what decides numbers: another version is another product.
CRITICAL = ("verl", "torch", "transformers", "tensordict", "transferqueue", "ray", "harbor", "litellm")
# The version that verl's GPU extra pins; it adds to requirements.txt and replaces nothing in it.
VLLM = "0.24.0"


def check_packages(context: Context) -> list[Finding]:
    """Fatal where one is missing, an error where one that matters has another version."""
    venv = context.config.environment.venv
    folders = sorted(Path(venv).glob("lib/python3*/site-packages")) if venv else []
    found = distributions(path=[str(folder) for folder in folders]) if venv else distributions()
    pins = read_pins(REQUIREMENTS) if REQUIREMENTS.is_file() else {}
    return judge_packages(pins, installed(found), context.config.engine.rollout == "vllm")


def read_pins(requirements: Path) -> dict[str, str]:
    """`name==version` lines as a mapping of normalised names."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("==") for line in lines if "==" in line and not line.startswith("#"))
    return {_name(name): version.strip() for name, _, version in pairs}


def installed(found: Iterable[Distribution]) -> dict[str, str]:
    """The versions of distributions by normalised name."""
    return {_name(each.metadata["Name"]): each.version for each in found if each.metadata["Name"]}


def judge_packages(pins: Mapping[str, str], have: Mapping[str, str], needs_vllm: bool) -> list[Finding]:
    """The findings for these pins and installed versions."""
    cure = "bash scripts/setup_env.sh   installs requirements.txt"
    findings = []
    missing = [name for name in pins if name not in have]
    if missing:
        title = f"{len(missing)} packages of requirements.txt are missing"
        findings.append(Finding("packages:missing", "fatal", title, ", ".join(missing[:12]), cure))
    other = [name for name, pin in pins.items() if name in have and not _same(pin, have[name])]
    grave = [name for name in other if name in CRITICAL]
    if grave:
        title = "Packages that this one was written for have other versions"
        findings.append(Finding("packages:version", "error", title, _differ(grave, pins, have), cure))
    light = [name for name in other if name not in CRITICAL]
    if light:
        title = f"{len(light)} packages have other versions than requirements.txt"
        findings.append(Finding("packages:drift", "warn", title, _differ(light[:8], pins, have), cure))
    if needs_vllm and "vllm" not in have:
        title = "engine.rollout is vllm, and vLLM is not installed"
        command = f"uv pip install vllm=={VLLM}"
        findings.append(Finding("packages:vllm", "fatal", title, "", command))
    return findings or [Finding("packages:pinned", "info", f"All {len(pins)} packages are as pinned")]


def _differ(names: list[str], pins: Mapping[str, str], have: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {have[name]} instead of {pins[name]}" for name in names)


def _same(pin: str, version: str) -> bool:
    """A local part, such as torch's `+cpu`, is the same release built otherwise."""
    return version.partition("+")[0] == pin.partition("+")[0]


def _name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip().partition("[")[0]).lower()
