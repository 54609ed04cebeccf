"""What every question is given: the configuration, the machine's facts, and where things are."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from liverl.config import Facts, Origin, RunConfig


@dataclass(frozen=True)
class Context:
    """The data that questions decide on.

    `timeout_s` is what one question may take; `probe` whether live probes are wanted, which start sandboxes and
    servers of their own.
    """

    config: RunConfig
    facts: Facts
    config_file: Path = Path("config.yaml")
    origins: Mapping[str, Origin] = field(default_factory=dict)
    timeout_s: float = 120.0
    probe: bool = False

    @property
    def python(self) -> str:
        """The interpreter of the data plane."""
        venv = self.config.environment.venv
        return str(Path(venv) / "bin" / "python") if venv else sys.executable

    def where(self, key: str) -> str:
        """The place where a key is to be changed: the line it stands on, or the file and its section."""
        origin = self.origins.get(key)
        if origin is not None and origin.line and origin.file == self.config_file.name:
            return f"line {origin.line} of {self.config_file.name}"
        section = key.partition(".")[0]
        return f"{self.config_file.name}, section {section}"


def nearest_existing(path: Path) -> Path:
    """The path itself or the closest folder above it that is there."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())
