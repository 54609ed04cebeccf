"""Every value of a configuration and where it comes from; verl's own command."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass
from typing import Any

from liverl.config import Setting, describe, render_resolved
from liverl.errors import EngineError
from liverl.operate.planning import python_of
from liverl.operate.profile import Profile
from liverl.record.masking import mask
from liverl.run.environment import FIXED, package_environment

_LIMIT_S = 60


@dataclass(frozen=True)
class Shown:
    """A configuration: its file, profile, and every value with origin and meaning."""

    path: str
    profile: str
    settings: tuple[Setting, ...]

    def as_dict(self) -> dict[str, Any]:
        """The configuration as JSON."""
        return {
            "path": self.path,
            "profile": self.profile,
            "settings": [{**asdict(item), "value": _plain(item.value)} for item in self.settings],
        }


@dataclass(frozen=True)
class VerlShown:
    """verl's command: the interpreter and its arguments, what is added to the environment, the folder."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str


def show(profile: Profile) -> Shown:
    """The configuration as it would be used here."""
    settings = describe(profile.config, profile.origins)
    return Shown(str(profile.path), profile.config.profile, tuple(settings))


def show_verl(profile: Profile) -> VerlShown:
    """verl's exact command, as the engine composes it; raises `EngineError` when it can't."""
    asked = subprocess.run(
        [python_of(profile.config), "-m", "liverl.engine.command", "--config", "-", "--json"],
        input=render_resolved(profile.config, profile.origins),
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        env={**package_environment(), **FIXED},
        check=False,
    )
    try:
        answer = json.loads(asked.stdout)
        return VerlShown(tuple(answer["argv"]), dict(answer["env"]), str(answer["cwd"]))
    except (ValueError, KeyError, TypeError):
        raise EngineError(
            "engine.no_command",
            f"The engine did not say what it would run (exit status {asked.returncode}).",
            evidence=mask("\n        ".join(asked.stderr.strip().splitlines()[-4:])),
            next_action="bash scripts/setup_env.sh",
        ) from None


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | None | list | dict) else str(value)
