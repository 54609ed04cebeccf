"""Are the data plane's packages there, as requirements.txt pins them, and imported from where they should be?"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from liverl.config import PROFILES
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.imported import check_origins

REQUIREMENTS = PROFILES.parent / "requirements.txt"
# What this package drives through internals, or what decides numbers: another version is another product.
CRITICAL = ("verl", "torch", "transformers", "tensordict", "transferqueue", "ray", "harbor", "litellm")
# The version that verl's GPU extra pins; it adds to requirements.txt and replaces nothing in it.
VLLM = "0.24.0"


def check_packages(context: Context) -> list[Finding]:
    """Fatal where one is missing, an error where one that matters has another version or comes from elsewhere."""
    pins = read_pins(REQUIREMENTS) if REQUIREMENTS.is_file() else {}
    have = installed(site_folders(context) or sys.path)
    judged = judge_packages(pins, have, context.config.engine.rollout == "vllm")
    misplaced = check_origins(context)
    return [*(each for each in judged if not (misplaced and each.severity == "info")), *misplaced]


def site_folders(context: Context) -> list[str]:
    """Where the data plane's packages are installed; empty where they are this process's own."""
    venv = context.config.environment.venv
    return [str(folder) for folder in sorted(Path(venv).glob("lib/python3*/site-packages"))] if venv else []


def read_pins(requirements: Path) -> dict[str, str]:
    """`name==version` lines as a mapping of normalised names."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("==") for line in lines if "==" in line and not line.startswith("#"))
    return {_name(name): version.strip() for name, _, version in pairs}


def installed(folders: Iterable[str]) -> dict[str, str]:
    """The versions of what is installed in some folders, by normalised name; the first folder wins.

    Read from the names of `NAME-VERSION.dist-info`, as the specification of installed projects has them: to open the
    metadata of 238 packages takes 85 ms rather than 1.
    """
    found: dict[str, str] = {}
    for folder in folders:
        try:
            entries = os.listdir(folder)  # noqa: PTH208  names alone
        except OSError:
            continue  # such as a zip file, or a folder that is not there
        for entry in entries:
            stem, _, kind = entry.rpartition(".")
            name, dash, rest = stem.partition("-")
            if dash and kind in ("dist-info", "egg-info"):
                found.setdefault(_name(name), rest.partition("-")[0])
    return found


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
