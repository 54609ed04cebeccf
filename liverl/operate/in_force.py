"""What a key of config.yaml is here and now, wherever it comes from: the file, its profile, this package, or verl.

InForce    the values of one config.yaml
new_value  what a cure makes of a value
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from liverl.config import ConfigProblems, resolve
from liverl.errors import ConfigError, EngineError
from liverl.operate.config_show import show_verl
from liverl.operate.config_text import flat
from liverl.operate.planning import python_of
from liverl.operate.profile import Asked, Profile
from liverl.preflight import machine_facts

VERL = "verl."
_SCALE = re.compile(r"([*+-])\s*(-?[\d.]+(?:e-?\d+)?)")
_BOUND = re.compile(r"([<>])=\s*(-?[\d.]+(?:e-?\d+)?)")
# verl has one default configuration for each of these engines, and another for all the rest.
_OWN_DEFAULTS = ("megatron", "veomni", "torchtitan")
_MISSING = object()


@dataclass(frozen=True)
class InForce:
    """The values of the config.yaml at `path`, whose own text says `content`."""

    path: Path
    content: Mapping[str, Any]

    def value(self, key: str) -> Any:
        """What a key is; None where nobody says it, or nothing here knows."""
        told = flat(self.content).get(key)
        if told is not None:
            return _number(told) if isinstance(told, str) else told
        if not key.startswith(VERL):
            return self._resolved(key)
        name = key.removeprefix(VERL)
        own = (
            {} if self._profile is None else flat(self._profile.config.verl)
        )  # the profile's may say some, too
        for known in (own, self._commanded, self._defaults):
            if (value := known.get(name, _MISSING)) is not _MISSING:
                return value
        return None

    def is_so(self, key: str, new: Any) -> bool:
        """Whether a key has a value already, or one that means the same: a size of 0 means all there are."""
        if _same(self.value(key), new):
            return True
        if key.startswith(VERL) or self._profile is None:
            return False
        changed = self._read({key: new})
        return changed is not None and _same(_at(changed.config, key), self._resolved(key))

    def winners(self, key: str, new: Any) -> Mapping[str, Any]:
        """What stands below `verl:` and wins over a key: verl's names, with what the key would have made of each."""
        told = {} if self._profile is None else flat(self._profile.config.verl)
        if not told or key.startswith(VERL):
            return {}
        now, then = self._commanded, self._words(self._read({key: new}))
        return {
            name: value for name, value in then.items() if name in told and not _same(now.get(name), value)
        }

    def _resolved(self, key: str) -> Any:
        return None if self._profile is None else _at(self._profile.config, key)

    @cached_property
    def _profile(self) -> Profile | None:
        return self._read({})

    def _read(self, overrides: Mapping[str, object]) -> Profile | None:
        """The configuration with some values; None where it has problems. Paths that are missing are none here."""
        facts = machine_facts()
        try:
            resolved = resolve(self.path.absolute(), facts, overrides=overrides, exists=_may_be_there)
        except (ConfigProblems, ConfigError):
            return None
        return Profile(self.path, facts, resolved, Asked(str(self.path)))

    @cached_property
    def _commanded(self) -> Mapping[str, Any]:
        return self._words(self._profile)

    @staticmethod
    def _words(profile: Profile | None) -> Mapping[str, Any]:
        """What this package tells verl, without what stands below `verl:`."""
        if profile is None:
            return {}
        own = replace(profile.resolved, config=profile.config.model_copy(update={"verl": {}}))
        try:
            words = show_verl(replace(profile, resolved=own)).argv
        except (EngineError, OSError):
            return {}
        pairs = (word.lstrip("+").partition("=") for word in words if not word.startswith("-"))
        return {key: plain(value) for key, sign, value in pairs if sign}

    @cached_property
    def _defaults(self) -> Mapping[str, Any]:
        """What verl takes where nobody says anything, of the version that is installed; empty where none is."""
        config = None if self._profile is None else self._profile.config
        strategy = "" if config is None else config.engine.strategy
        engine = f"{strategy}_" if strategy in _OWN_DEFAULTS else ""
        python = Path(sys.executable if config is None else python_of(config))
        for place in sorted(python.parent.parent.glob("lib/python3*/site-packages/verl/trainer/config")):
            try:
                told = yaml.safe_load((place / f"_generated_ppo_{engine}trainer.yaml").read_text("utf-8"))
            except (OSError, ValueError, yaml.YAMLError):
                continue
            known = flat(told) if isinstance(told, dict) else {}
            return {key: _followed(value, known) for key, value in known.items()}
        return {}


def new_value(old: Any, wanted: Any) -> Any:
    """The value a cure wants: itself; of `* 0.5` that of what is; of `<= 64` what is where it is within it already.

    None where it is relative to a value that is not known.
    """
    text = wanted.strip() if isinstance(wanted, str) else ""
    is_number = isinstance(old, int | float) and not isinstance(old, bool)
    if found := _BOUND.fullmatch(text):
        bound = plain(found[2])
        # Nothing and -1 stand for no limit at all.
        if not is_number or (found[1] == "<" and old <= 0 < bound):
            return bound
        return min(old, bound) if found[1] == "<" else max(old, bound)
    found = _SCALE.fullmatch(text)
    if found is None:
        return wanted
    if not is_number:
        return None
    by = float(found[2])
    new = {"*": old * by, "+": old + by, "-": old - by}[found[1]]
    return max(1, round(new)) if isinstance(old, int) and old > 0 else float(f"{new:.6g}")


def _may_be_there(path: Path) -> bool:
    """Whether a path counts as there: a folder of tasks that is missing changes no value, an interpreter does."""
    return path.name != "python" or path.exists()


def _at(config: Any, key: str) -> Any:
    for part in key.split("."):
        config = getattr(config, part, None)
    return config


def _same(value: Any, other: Any) -> bool:
    return isinstance(value, bool) == isinstance(other, bool) and value is not None and bool(value == other)


def plain(text: str) -> Any:
    """A value of Hydra's command line."""
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    return _number(value) if isinstance(value, str) else value


def _number(text: str) -> Any:
    """`1e-6`, which YAML takes for a text."""
    try:
        return float(text)
    except ValueError:
        return text


def _followed(value: Any, known: Mapping[str, Any]) -> Any:
    """What a default that speaks of another key comes to; None where that is nowhere."""
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"\$\{(?:oc\.select:)?([\w.]+)(?:,\s*(.*))?\}", value)
    if found is None:
        return None if "${" in value else _number(value)
    if found[1] in known and not str(known[found[1]]).startswith("${"):
        return known[found[1]]
    return None if found[2] is None else plain(found[2])
