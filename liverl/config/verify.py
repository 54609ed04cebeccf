"""Merged values become a `RunConfig`, or every reason why they can't."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from liverl.config import keys
from liverl.config.facts import Facts
from liverl.config.problems import Problem
from liverl.config.rules import breaches
from liverl.config.schema import RunConfig
from liverl.config.source import Origin, is_open

PATH_KEYS = (
    "experiment.run_root",
    "model.path",
    "model.built_path",
    "data.train",
    "data.val",
    "infrastructure.temp_dir",
    "environment.venv",
)
# The others are made by the run where they are missing.
MUST_EXIST = ("model.path", "data.train", "data.val", "environment.venv")
_PLACEHOLDER = re.compile(
    r"^(<.*>|human|change_?me|replace_?me|todo|fixme|x{3,}|your[_-].*|.*(replace_me|changeme).*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Merged:
    """All layers as one: dotted keys with their values and origins."""

    values: Mapping[str, object]
    origins: Mapping[str, Origin]


def verify(
    merged: Merged, facts: Facts, folder: Path, exists: Callable[[Path], bool]
) -> tuple[RunConfig | None, list[Problem]]:
    """The configuration and all problems of its values; None only where nothing can be built at all.

    A wrong value is replaced by its default before combinations are tried, and combinations that read a
    replaced value are left out, so that one mistake is told once.
    """
    problems = [*_unknown(merged), *_placeholders(merged)]
    bad = {problem.key for problem in problems}
    good = {key: value for key, value in merged.values.items() if key not in bad}
    good = {key: _absolute(key, value, folder) for key, value in good.items()}
    try:
        config = _build(good, folder)
    except ValidationError as error:
        wrong = list(_wrong(error, merged))
        problems += wrong
        bad |= {problem.key for problem in wrong}
        config = _build({key: value for key, value in good.items() if key not in bad}, folder)
    problems += _combinations(config, merged, facts, bad)
    problems += _missing(config, merged, bad, exists)
    return config, problems


def _build(values: Mapping[str, object], folder: Path) -> RunConfig:
    tree: dict[str, Any] = {}
    defaults = {key: _absolute(key, keys.default(key), folder) for key in PATH_KEYS}
    for key, value in {**defaults, **values}.items():
        root, _, name = key.partition(".")
        if not name:
            tree[root] = value
        elif key.startswith("scaffold.options."):
            options = tree.setdefault("scaffold", {}).setdefault("options", {})
            options[key.removeprefix("scaffold.options.")] = value
        else:
            tree.setdefault(root, {})[name] = value
    return RunConfig.model_validate(tree)


def _absolute(key: str, value: object, folder: Path) -> object:
    """Paths are meant from config.yaml's folder; an empty one stays empty."""
    if key not in PATH_KEYS or not isinstance(value, str | Path) or not str(value):
        return value
    try:
        return str(folder / Path(value).expanduser())
    except RuntimeError:  # ~name of a user whom this machine does not know
        return str(folder / Path(value))


def _unknown(merged: Merged) -> Iterator[Problem]:
    for key in merged.values:
        if (key in keys.fields() or is_open(key)) and key != "verl":
            continue
        if key in keys.sections():
            cure = f"Write `{key}:` and its keys indented below it"
            yield _problem(merged, key, "is a section, not a value", cure)
            continue
        near = keys.nearest(key)
        cure = f"Write {near}" if near else "Remove it, or see `liverl config show` for the keys there are"
        kind = "section" if "." not in key else "key"
        if kind == "key" and key.partition(".")[0] in keys.sections() and not near:
            section = key.partition(".")[0]
            there = ", ".join(k.partition(".")[2] for k in keys.fields() if k.startswith(f"{section}."))
            cure = f"Remove it, or use one of {section}'s: {there}" if there else cure
        yield _problem(merged, key, f"is not a {kind} of this configuration", cure)


def _placeholders(merged: Merged) -> Iterator[Problem]:
    for key, value in merged.values.items():
        if isinstance(value, str) and _PLACEHOLDER.match(value.strip()):
            wanted = keys.expectation(key) if key in keys.fields() else "the real value"
            yield _problem(
                merged,
                key,
                "is a placeholder that was never filled in",
                f"Write {wanted}, or remove the line",
            )


def _wrong(error: ValidationError, merged: Merged) -> Iterator[Problem]:
    told: set[str] = set()
    for detail in error.errors(include_url=False):
        key = _key(detail["loc"])
        if key in told:
            continue
        told.add(key)
        cure = f"Write {keys.expectation(key)}; the default is {_shown(keys.default(key))}"
        yield _problem(merged, key, _reason(detail, key), cure)


def _key(location: tuple[int | str, ...]) -> str:
    """The settable key an error speaks of, however deep below it the error lies."""
    parts = [str(part) for part in location]
    return next(k for k in (".".join(parts[:2]), parts[0]) if k in keys.fields())


def _reason(detail: ErrorDetails, key: str) -> str:
    kind = detail["type"]
    if kind.startswith(("greater", "less")):
        return f"is out of range: it has to be {keys.expectation(key)}"
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind == "literal_error":
        return f"is not {keys.expectation(key)}"
    if kind == "string_pattern_mismatch":
        return f"is not {keys.expectation(key)}"
    named = {str: "text", bool: "true or false", int: "a whole number", float: "a number", list: "a list"}
    given = detail["input"]
    seen = "empty" if given is None else named.get(type(given), "a " + type(given).__name__)
    return f"is {seen}, not {keys.expectation(key)}"


def _combinations(config: RunConfig, merged: Merged, facts: Facts, bad: set[str]) -> Iterator[Problem]:
    for breach in breaches(config, facts):
        if bad.isdisjoint({breach.key, *breach.others}):
            # A key left at its default has no line of its own: the line of the one it collides with helps.
            written = (merged.origins[key] for key in (breach.key, *breach.others) if key in merged.origins)
            origin = next(written, Origin("default"))
            value = _value(config, breach.key)
            yield Problem(origin.file, origin.line, breach.key, value, breach.reason, breach.cure)


def _missing(
    config: RunConfig, merged: Merged, bad: set[str], exists: Callable[[Path], bool]
) -> Iterator[Problem]:
    for key in MUST_EXIST:
        value = _value(config, key)
        if key in bad or not str(value) or exists(Path(str(value))):
            continue
        origin = merged.origins.get(key, Origin("default"))
        reason = f"does not exist ({value})"
        cure = f"Put it there, or set {key} to the right folder, from the folder of config.yaml on"
        yield Problem(origin.file, origin.line, key, merged.values.get(key, str(value)), reason, cure)


def _value(config: RunConfig, key: str) -> object:
    section, _, name = key.partition(".")
    value = getattr(config, section)
    return getattr(value, name) if name else value


def _problem(merged: Merged, key: str, reason: str, cure: str) -> Problem:
    origin = merged.origins[key]
    return Problem(origin.file, origin.line, key, merged.values[key], reason, cure)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "empty" if value == "" else str(value)
