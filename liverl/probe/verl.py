"""Do verl's schema, dataclasses and validation accept the composed command?"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liverl.config import RunConfig
from liverl.engine.command import compose
from liverl.errors import EngineError
from liverl.probe.memory import Memory
from liverl.record.layout import RunDir

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from liverl.probe.schema import Composed

# A path in which neither Hydra nor JSON reads signs.
_PLAIN = re.compile(r"[\w./-]+", re.ASCII)
# verl's import takes seconds of one core, and the quick questions are asked at the same time.
_BEHIND_OTHERS = 5


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """verl's version and the number of keys set, or what of them is `unknown` (`key`, `nearest`); raises EngineError
    in verl's own words."""
    run = RunDir(config.experiment.run_root / (config.experiment.name or "preflight"))
    command = compose(config, run.root)
    given = [override for override in command.overrides if not override.startswith("hydra.")]
    told = {"version": version("verl"), "overrides": len(given)}
    memory = Memory.in_user_cache("verl")
    key = _key(given, command.env, config.model.folder, run)
    if memory.recall(key) is not None:
        return {**told, "cached": True}
    os.environ.update(command.env)
    composed = _compose(given)
    if composed.unknown:
        return {**told, "unknown": _unknown(composed), "cached": False}
    os.nice(_BEHIND_OTHERS)
    with tempfile.TemporaryDirectory() as empty:
        # A folder named trl or wandb in the working directory would shadow the package.
        os.chdir(empty)
        _validate(composed.config)
        os.chdir("/")
    memory.remember(key, told)
    memory.save()
    return {**told, "cached": False}


def _key(overrides: list[str], env: Mapping[str, str], model: Path, run: RunDir) -> str:
    """A digest of all that decides: importing verl to ask it again takes a quarter of a minute. What a run is called
    and where it lies does not, unless Hydra has to read signs in it."""
    settings = model / "config.json"
    versions = [
        f"{name} {version(name)}" for name in ("verl", "torch", "transformers", "hydra-core", "omegaconf")
    ]
    asked = [each for each in overrides if each != f"trainer.experiment_name={run.name}"]
    told = json.dumps([asked, dict(env), versions])
    for place in (str(run.root), str(run.scratch)):
        told = told.replace(place, "") if _PLAIN.fullmatch(place) else told
    digest = hashlib.sha256(told.encode())
    digest.update(settings.read_bytes() if settings.is_file() else b"")
    return digest.hexdigest()


def _compose(overrides: list[str]) -> Composed:
    """Takes half a second where verl's import takes six, so that a misspelt key is told at once."""
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    from liverl.probe import schema

    try:
        composed = schema.compose(overrides)
        if not composed.unknown:
            OmegaConf.resolve(composed.config)
    except (HydraException, OmegaConfBaseException) as error:
        raise _refused(error) from error
    return composed


def _unknown(composed: Composed) -> list[dict[str, str]]:
    from liverl.probe.schema import keys, nearest

    known = keys(composed.config)
    return [{"key": key, "nearest": nearest(key, known)} for key in composed.unknown]


def _validate(composed: DictConfig) -> None:
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import omega_conf_to_dataclass, validate_config

    try:
        validate_config(
            config=composed,
            use_reference_policy=need_reference_policy(composed),
            use_critic=need_critic(composed),
        )
        omega_conf_to_dataclass(composed.actor_rollout_ref.rollout)
        omega_conf_to_dataclass(composed.algorithm)
        if (Path(composed.actor_rollout_ref.model.path) / "config.json").is_file():
            omega_conf_to_dataclass(composed.actor_rollout_ref.model)
    except (AssertionError, ValueError, TypeError, HydraException, OmegaConfBaseException) as error:
        raise _refused(error) from error


def _refused(error: Exception) -> EngineError:
    inner = error.__cause__
    seen = f"{type(error).__name__}: {error}" + (f" ({inner})" if inner else "")
    return EngineError(
        "verl.refused",
        "verl refuses the configuration",
        evidence=" ".join(seen.split())[:800],
        next_action="Mend the key that verl names, in section verl or where it is derived from; "
        "`liverl config show --verl` prints them all",
    )
