"""One YAML file (or the command line) as a layer: dotted keys, their values, and the line each stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from liverl.config.problems import Problem

# Below these keys the names are somebody else's: they are kept as written.
OPEN_KEYS = ("verl", "scaffold.options")


@dataclass(frozen=True)
class Origin:
    """Where a value comes from: a file and its line, or `default`, `override`, `derived from KEY`."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Layer:
    """Dotted keys with their values and origins; `problems` are those of the text itself."""

    values: Mapping[str, object] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


class _Loader(yaml.SafeLoader):
    """YAML whose `1e-6` is a number, as in YAML 1.2 and JSON."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d[\d_]*)(\.\d*)?[eE][-+]?\d+$"),
    list("-+0123456789"),
)


def parse(text: str, name: str) -> Layer:
    """The layer that a YAML text makes; `name` is the file's name as problems and origins show it."""
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return Layer()
        if not isinstance(root, yaml.MappingNode):
            return _broken(name, 1, "holds no sections", "Write `section:` lines with indented keys")
        return _layer(loader, root, name)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        return _broken(name, line, f"is not YAML: {error.problem}", "Mend the syntax of this line")
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date such as 2026-13-45
        return _broken(name, 0, f"is not YAML: {error}", "Save it as plain UTF-8 text, and quote dates")
    finally:
        loader.dispose()


def parse_overrides(assignments: Sequence[str]) -> dict[str, object]:
    """`KEY=VALUE` words of a command line as a mapping; values are YAML. Raises ValueError."""
    parsed: dict[str, object] = {}
    for word in assignments:
        key, equals, text = word.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"{word!r} is not KEY=VALUE")
        try:
            parsed[key.strip()] = yaml.load(text, Loader=_Loader)
        except yaml.YAMLError:
            parsed[key.strip()] = text
    return parsed


def overrides_layer(overrides: Mapping[str, object], name: str = "override") -> Layer:
    """The layer of dotted keys given on a command line or by a caller."""
    flat: dict[str, object] = {}
    for key, value in overrides.items():
        below = _open_root(key) and isinstance(value, Mapping)
        flat.update(_flatten(key, value) if below else {key: value})
    return Layer(flat, {key: Origin(name) for key in flat})


def is_open(key: str) -> bool:
    """Whether the key lies below `verl` or `scaffold.options`."""
    return any(key.startswith(f"{root}.") for root in OPEN_KEYS)


def _open_root(key: str) -> bool:
    return key in OPEN_KEYS or is_open(key)


def _flatten(key: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value and not key.startswith("scaffold.options."):
        for name, below in value.items():
            yield from _flatten(f"{key}.{name}", below)
    else:
        yield key, value


def _broken(name: str, line: int, reason: str, cure: str) -> Layer:
    return Layer(problems=(Problem(name, line, "(file)", None, reason, cure),))


def _layer(loader: _Loader, root: yaml.MappingNode, name: str) -> Layer:
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    twice: list[str] = []
    for key, node, line in _pairs(root, ""):
        value = None if _is_section(key, node) else loader.construct_object(node, deep=True)
        if key in seen and not any(key.startswith(f"{above}.") for above in twice):
            twice.append(key)
            cure = f"Keep one of the two: the other is on line {seen[key]}"
            problems.append(Problem(name, line, key, value, "is set twice", cure))
        seen.setdefault(key, line)
        if _is_section(key, node):
            continue
        values[key] = value
        origins[key] = Origin(name, line)
    return Layer(values, origins, tuple(problems))


def _pairs(parent: yaml.MappingNode, prefix: str) -> Iterator[tuple[str, yaml.Node, int]]:
    for key_node, node in parent.value:
        key = f"{prefix}{key_node.value if isinstance(key_node, yaml.ScalarNode) else '?'}"
        yield key, node, key_node.start_mark.line + 1
        if _is_section(key, node) and isinstance(node, yaml.MappingNode):
            yield from _pairs(node, f"{key}.")


def _is_section(key: str, node: yaml.Node) -> bool:
    """Whether the node holds further keys of ours or of verl's, rather than a value."""
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null"):
        return "." not in key or key in OPEN_KEYS  # a section whose every key is commented out
    if not isinstance(node, yaml.MappingNode):
        return False
    in_verl = key.startswith("verl.") and bool(node.value)
    return "." not in key or key == "scaffold.options" or in_verl
