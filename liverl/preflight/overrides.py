"""What the section `verl` of a configuration says of one of verl's keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from liverl.config import RunConfig


def verl_value(config: RunConfig, key: str) -> Any:
    """The value of a dotted key, which may be written dotted or nested; None where it is left to this package."""
    return _find(config.verl, key)


def _find(tree: Mapping[str, Any], key: str) -> Any:
    if key in tree:
        return tree[key]
    for name, value in tree.items():
        if isinstance(value, Mapping) and key.startswith(f"{name}."):
            found = _find(value, key.removeprefix(f"{name}."))
            if found is not None:
                return found
    return None
