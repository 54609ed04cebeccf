"""verl's composed schema without importing verl: which keys of a command it does not know, and what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.errors import ConfigCompositionException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError

from liverl.errors import EngineError

# The least that difflib itself calls a close match.
_CLOSE = 0.6


@dataclass(frozen=True)
class Composed:
    """verl's configuration under the overrides that it knows, and the keys of those that it does not."""

    config: DictConfig
    unknown: tuple[str, ...]


def compose(overrides: Sequence[str]) -> Composed:
    """Compose as verl's entry point does; raises Hydra's and OmegaConf's own errors for all but unknown keys.

    0.3 s a time, and once more for each unknown key: Hydra names one of them at a time.
    """
    left = list(overrides)
    unknown: list[str] = []
    with initialize_config_dir(str(_folder()), version_base=None):
        while True:
            try:
                return Composed(hydra_compose("ppo_trainer", overrides=left), tuple(unknown))
            except ConfigCompositionException as error:
                found = [override for override in left if _is_meant(error, _key(override))]
                if not found:
                    raise
                unknown += [_key(override) for override in found]
                left = [override for override in left if override not in found]


def keys(config: DictConfig) -> list[str]:
    """Every dotted key that holds a value; an empty mapping is one."""
    return list(_walk(OmegaConf.to_container(config, resolve=False), ""))


def nearest(key: str, known: Sequence[str]) -> str:
    """The known key that is most like `key`, as a whole and by its last part; "" where none is close.

    Both count alike, so that a misspelt name is found in its place and a name without its sections in theirs.
    """
    last = key.rpartition(".")[2]
    best, score = "", _CLOSE
    for each in known:
        whole, part = SequenceMatcher(None, key, each), SequenceMatcher(None, last, each.rpartition(".")[2])
        # The quick bounds spare the long way for most of 900 keys.
        if whole.quick_ratio() + part.quick_ratio() <= 2 * score:
            continue
        likeness = (whole.ratio() + part.ratio()) / 2
        if likeness > score:
            best, score = each, likeness
    return best


def _folder() -> Path:
    spec = find_spec("verl")
    if spec is None or not spec.submodule_search_locations:
        raise EngineError("verl.missing", "verl is not installed", next_action="bash scripts/setup_env.sh")
    return Path(spec.submodule_search_locations[0]) / "trainer" / "config"


def _is_meant(error: ConfigCompositionException, key: str) -> bool:
    cause = error.__cause__
    missing = cause.full_key if isinstance(cause, ConfigAttributeError | ConfigKeyError) else None
    return missing is not None and (key == missing or key.startswith(f"{missing}."))


def _key(override: str) -> str:
    return override.partition("=")[0]


def _walk(node: Any, prefix: str) -> Iterator[str]:
    for name, value in node.items():
        if isinstance(value, dict) and value:
            yield from _walk(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"
