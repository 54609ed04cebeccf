"""`resolved.yaml`: every value of a run with its origin beside it; written for people, read back exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from liverl.config import keys
from liverl.config.schema import RunConfig
from liverl.config.source import Origin, parse

_HEADER = "# Every value of this run and where it comes from; written at launch, read by the run.\n"
_PLAIN = re.compile(r"^[A-Za-z_][\w./+-]*$")


@dataclass(frozen=True)
class Setting:
    """One line of `liverl config show`."""

    key: str
    value: object
    origin: str
    meaning: str


def describe(config: RunConfig, origins: Mapping[str, Origin]) -> list[Setting]:
    """Every value with its origin and meaning, in the order of the sections."""
    return [
        Setting(key, value, str(origins.get(key, Origin("default"))), _meaning(key))
        for key, value in _values(config)
    ]


def render_resolved(config: RunConfig, origins: Mapping[str, Origin]) -> str:
    """The text of `resolved.yaml`: plain YAML, each value's origin as the comment behind it."""
    lines = [_HEADER.rstrip("\n")]
    opened: tuple[str, ...] = ()
    for setting in describe(config, origins):
        path, name = _place(setting.key)
        for depth, section in enumerate(path):
            if path[: depth + 1] != opened[: depth + 1]:
                lines.append(f"{'  ' * depth}{section}:")
        opened = path
        lines.append(f"{'  ' * len(path)}{_quoted(name)}: {_scalar(setting.value)}  # {setting.origin}")
    return "\n".join(lines) + "\n"


def read_origins(path: Path) -> dict[str, str]:
    """The origin of every value of a `resolved.yaml`, by dotted key."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    origins = parse(text, path.name).origins
    return {key: lines[origin.line - 1].rpartition("  # ")[2] for key, origin in origins.items()}


def _values(config: RunConfig) -> Iterator[tuple[str, object]]:
    plain = config.model_dump(mode="json")
    for key in keys.fields():
        section, _, name = key.partition(".")
        value = plain[section][name] if name else plain[section]
        if key in ("verl", "scaffold.options"):
            yield from ((f"{key}.{below}", each) for below, each in value.items())
        else:
            yield key, value


def _place(key: str) -> tuple[tuple[str, ...], str]:
    """The sections a key stands under, and its name there; a verl key stays dotted."""
    for root in ("scaffold.options", "verl"):
        if key.startswith(f"{root}."):
            return tuple(root.split(".")), key.removeprefix(f"{root}.")
    section, _, name = key.partition(".")
    return ((section,), name) if name else ((), section)


def _meaning(key: str) -> str:
    if key.startswith("verl."):
        return "verl's own key, verbatim."
    return keys.meaning("scaffold.options" if key.startswith("scaffold.options.") else key)


def _quoted(name: str) -> str:
    return name if _PLAIN.match(name) else json.dumps(name)


def _scalar(value: object) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10**9, allow_unicode=True).strip()
    return text.removesuffix("...").strip()
