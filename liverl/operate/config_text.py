"""The text of a config.yaml: read as it is, and changed by one key without touching anything else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from liverl.errors import ConfigError


def read_text(path: Path) -> str:
    """A file's text with its own ends of lines; raises `ConfigError` where it is no text."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            "config.unreadable",
            f"{path.name} is no UTF-8.",
            evidence=str(error),
            next_action="mend it first: liverl check",
        ) from None


def content_of(name: str, text: str) -> dict[str, Any]:
    """What a text says; raises `ConfigError` where it is no YAML."""
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none is a ValueError
        raise ConfigError(
            "config.unreadable",
            f"{name} is no YAML.",
            evidence=" ".join(str(error).split())[:200],
            next_action="mend it first: liverl check",
        ) from None
    return content if isinstance(content, dict) else {}


def is_only_change(before: str, after: str, key: str, new: Any) -> bool:
    """Whether the file says with a change just what it said before, and the key's new value.

    It may be written in ways that a change of one line breaks: anchors, values in braces, the same key twice.
    """
    try:
        old, changed = content_of("", before), content_of("", after)
    except ConfigError:
        return False
    return _told(changed) == {**_told(old), key: new} and not _has_twice(after)


def _has_twice(text: str) -> bool:
    """Whether a section stands twice, the second perhaps in quotes."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    names = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return len(names) > len(set(map(str, names)))


def _told(content: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that say something."""
    return {key: value for key, value in flat(content).items() if value is not None and value != {}}


def flat(section: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested sections as dotted keys."""
    found: dict[str, Any] = {}
    for key, value in section.items():
        name = f"{prefix}{key}"
        found |= flat(value, f"{name}.") if isinstance(value, dict) and value else {name: value}
    return found


def as_yaml(value: Any) -> str:
    """A value on one line."""
    return (
        yaml.safe_dump(value, default_flow_style=True, width=1000)
        .removesuffix("\n")
        .removesuffix("\n...")
        .strip()
    )


def with_key(text: str, key: str, value: str) -> str:
    """The text with one key of a section set; comments and everything else stay as they are."""
    section, _, name = key.partition(".")
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(end_of_line)
    if lines[-1] == "":
        lines.pop()
    start = next(
        (index for index, line in enumerate(lines) if re.match(rf"{re.escape(section)}\s*:", line)), None
    )
    if start is None:
        lines += ["", f"{section}:", f"  {name}: {value}"]
    else:
        _set_below(lines, start, section, name, value)
    return end_of_line.join(lines) + end_of_line


def _set_below(lines: list[str], start: int, section: str, name: str, value: str) -> None:
    """Set a key of the section that begins at a line."""
    end = next(
        (i for i in range(start + 1, len(lines)) if lines[i][:1] not in ("", " ", "#", "\t")), len(lines)
    )
    for index in range(start + 1, end):
        if found := re.match(rf"(\s+{re.escape(name)}\s*:\s*)(.*?)(\s+#.*)?$", lines[index]):
            lines[index] = f"{found.group(1).rstrip()} {value}{found.group(3) or ''}"
            return
    if found := re.match(rf"({re.escape(section)}\s*:)(?:\s*(?:\{{\}}|null|~))?(\s+#.*)?$", lines[start]):
        lines[start] = f"{found.group(1)}{found.group(2) or ''}"
    indents = [re.match(r"\s+(?=[^\s#])", line) for line in lines[start + 1 : end]]
    indent = next((found[0] for found in indents if found), "  ")
    lines.insert(start + 1, f"{indent}{name}: {value}")
