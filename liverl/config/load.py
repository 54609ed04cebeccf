"""`config.yaml`, a profile and overrides become one checked configuration, every value with its origin.

Precedence: overrides, then profiles laid on top (`--smoke`), then config.yaml, then the profile, then `.venv` beside
config.yaml, then the schema's defaults.
A relative path is meant from the folder of config.yaml, whichever layer it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import liverl
from liverl.config import keys
from liverl.config.facts import Facts
from liverl.config.problems import ConfigProblems, Problem
from liverl.config.schema import RunConfig
from liverl.config.source import Layer, Origin, overrides_layer, parse
from liverl.config.verify import Merged, verify

PROFILES = Path(liverl.__file__).resolve().parent.parent / "profiles"
# From this many GPUs on, `profile: auto` takes the profile written for such a host.
GPUS_OF_GPU_8 = 8
_LARGEST_BYTES = 1_000_000


@dataclass(frozen=True)
class Resolved:
    """A checked configuration and where each of its values comes from, by dotted key."""

    config: RunConfig
    origins: Mapping[str, Origin]


def load(
    path: Path,
    profile_facts: Facts,
    *,
    overrides: Mapping[str, object] | None = None,
    on_top: Sequence[str] = (),
    exists: Callable[[Path], bool] = Path.exists,
) -> RunConfig:
    """The checked configuration of `path`; see `resolve`."""
    return resolve(path, profile_facts, overrides=overrides, on_top=on_top, exists=exists).config


def resolve(
    path: Path,
    facts: Facts,
    *,
    overrides: Mapping[str, object] | None = None,
    on_top: Sequence[str] = (),
    exists: Callable[[Path], bool] = Path.exists,
) -> Resolved:
    """The checked configuration of `path` with the origin of every value.

    `overrides` are dotted keys (see `parse_overrides`), `on_top` names profiles that win over config.yaml,
    `exists` answers whether a path is there. Raises ConfigProblems with everything that is wrong.
    """
    own = _read(path, path.name)
    given = overrides_layer(overrides or {})
    upper = [_profile(name, path.parent, Origin("override"), exists) for name in on_top]
    wish = _wish(own, [*upper, given])
    name, wrong = _choose(wish, facts)
    lower = _profile(name, path.parent, wish[1], exists) if name else Layer()
    layers = [_environment(path.parent, exists), lower, own, *upper, given]
    by_machine = Origin(f"auto, {facts.gpus} GPUs")
    merged = _merge(layers, name, by_machine if wish[0] == "auto" else wish[1])
    problems = [*wrong, *(problem for layer in layers for problem in layer.problems)]
    config, found = verify(merged, facts, path.parent.absolute(), exists)
    problems += found
    if config is None or problems:
        raise ConfigProblems(str(path), sorted(problems, key=lambda p: (p.file != path.name, p.file, p.line)))
    return Resolved(config, _all_origins(config, merged.origins))


def _read(path: Path, name: str) -> Layer:
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no regular file")
        if path.exists() and path.stat().st_size > _LARGEST_BYTES:
            raise OSError(f"it is larger than {_LARGEST_BYTES} bytes")
        return parse(path.read_text(encoding="utf-8"), name)
    except FileNotFoundError:
        cure = "Name another file with --config, or copy the config.yaml that ships"
        return Layer(problems=(Problem(name, 0, "(file)", str(path), "does not exist", cure),))
    except (OSError, UnicodeDecodeError) as error:
        cure = "Make it a readable UTF-8 text file"
        return Layer(problems=(Problem(name, 0, "(file)", str(path), f"can't be read: {error}", cure),))


def _wish(own: Layer, upper: Sequence[Layer]) -> tuple[object, Origin]:
    for layer in [*reversed(upper), own]:
        if "profile" in layer.values:
            return layer.values["profile"], layer.origins["profile"]
    return "auto", Origin("default")


def _choose(wish: tuple[object, Origin], facts: Facts) -> tuple[str, list[Problem]]:
    """The profile's name for the wish, by the machine where the wish is `auto`."""
    value, origin = wish
    if not isinstance(value, str):
        cure = "Write auto, cpu, gpu_8 or the path of a YAML file"
        return "", [Problem(origin.file, origin.line, "profile", value, "is not text", cure)]
    if value != "auto":
        return value, []
    if facts.gpus == 0:
        return "cpu", []
    if facts.gpus >= GPUS_OF_GPU_8:
        return "gpu_8", []
    cure = (
        "Set profile: cpu to leave the GPUs alone, or copy profiles/gpu_8.yaml, set its "
        f"infrastructure.gpus_per_node to {facts.gpus} and its engine.tensor_parallel to a divisor of that, "
        "and name the copy's path in profile:"
    )
    reason = (
        f"can't choose: this machine has {facts.gpus} GPUs, and a profile ships for none and for 8 or more"
    )
    return "", [Problem(origin.file, origin.line, "profile", value, reason, cure)]


def _profile(name: str, folder: Path, origin: Origin, exists: Callable[[Path], bool]) -> Layer:
    own_file = name.endswith((".yaml", ".yml"))
    path = folder / Path(name).expanduser() if own_file else PROFILES / f"{name}.yaml"
    if exists(path) and path.is_file():
        layer = _read(path, name if own_file else f"profiles/{name}.yaml")
        values = {key: value for key, value in layer.values.items() if key != "profile"}
        return Layer(values, layer.origins, layer.problems)
    shipped = ", ".join(sorted(found.stem for found in PROFILES.glob("*.yaml")))
    cure = f"Write auto, one of {shipped}, or the path of a YAML file"
    return Layer(problems=(Problem(origin.file, origin.line, "profile", name, "is not a profile", cure),))


def _environment(folder: Path, exists: Callable[[Path], bool]) -> Layer:
    """The environment beside config.yaml, where one was made there."""
    if not exists(folder / ".venv" / "bin" / "python"):
        return Layer()
    return Layer({"environment.venv": ".venv"}, {"environment.venv": Origin("made beside config.yaml")})


def _merge(layers: Sequence[Layer], profile: str, wish: Origin) -> Merged:
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    for layer in layers:
        values.update(layer.values)
        origins.update({key: layer.origins[key] for key in layer.values})
    values["profile"], origins["profile"] = profile or "cpu", wish
    return Merged(values, origins)


def _all_origins(config: RunConfig, given: Mapping[str, Origin]) -> dict[str, Origin]:
    origins: dict[str, Origin] = {}
    for key in keys.fields():
        if key in ("verl", "scaffold.options"):
            origins.update({below: origin for below, origin in given.items() if below.startswith(f"{key}.")})
        else:
            origins[key] = given.get(key, Origin("default"))
    derived = "training.mini_batch_size" not in given
    if derived and config.training.mini_batch_size == config.training.prompts_per_step:
        origins["training.mini_batch_size"] = Origin("derived from training.prompts_per_step")
    return origins
