"""config.yaml as it would be used here and now."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from liverl.config import Facts, Origin, Resolved, RunConfig, parse_overrides, resolve
from liverl.errors import ConfigError
from liverl.operate.find import CONFIG_NAME, Place, given_root, nearest_config
from liverl.preflight import machine_facts
from liverl.preflight.reach import LIMIT_S, answers

_SMOKE = "smoke"


@dataclass(frozen=True)
class Asked:
    """What somebody asked for: a file (None: the nearest), single values, and whether small and short."""

    config: str | None = None
    assignments: tuple[str, ...] = ()
    smoke: bool = False


@dataclass(frozen=True)
class Profile:
    """The checked configuration, where it was read, and the machine it was resolved for; who asked, from where."""

    path: Path
    facts: Facts
    resolved: Resolved
    asked: Asked = Asked()
    place: Place = field(default_factory=Place.here)

    @property
    def config(self) -> RunConfig:
        """The values alone."""
        return self.resolved.config

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each value comes from."""
        return dict(self.resolved.origins)

    @property
    def text(self) -> str:
        """The file as it is written."""
        return self.path.read_text(encoding="utf-8")


def read_profile(asked: Asked, place: Place) -> Profile:
    """Resolve the configuration; raises `ConfigError` with everything that is wrong in it.

    A run root that was given, or that `LIVERL_RUNS` names, takes the place of the configured one.
    """
    path = Path(asked.config).expanduser() if asked.config else nearest_config(place.cwd)
    if path is None:
        raise ConfigError(
            "config.none",
            f"There is no {CONFIG_NAME} in this folder or above it.",
            evidence=str(place.cwd),
            next_action="/rl:setup makes one (shell: bash scripts/setup_project.sh .), or name one with --config",
        )
    try:
        given = parse_overrides(asked.assignments)
    except ValueError as cause:
        raise ConfigError("config.bad_set", str(cause), next_action="--set training.steps=3") from None
    root = given_root(place)
    if root is not None:
        given["experiment.run_root"] = str(root)
    facts = machine_facts()
    on_top = (_SMOKE,) if asked.smoke else ()
    path = path.absolute()
    resolved = resolve(path, facts, overrides=given, on_top=on_top, exists=_exists)
    return Profile(path, facts, resolved, asked, place)


def _exists(path: Path) -> bool:
    if not answers(path.exists):
        raise ConfigError(
            "config.place_hangs",
            f"{path} does not answer.",
            evidence=f"no answer within {LIMIT_S:.0f} s; a network mount that hangs behaves so",
            next_action="mount it anew (umount -f, mount), or name another place in config.yaml",
        )
    return path.exists()
