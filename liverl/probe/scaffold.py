"""Can the scaffold be used: is its name known, its binary there, its class importable?"""

from __future__ import annotations

import ast
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from liverl.config import RunConfig
from liverl.scaffold.registry import resolve


def answer(config: RunConfig, timeout_s: float, light: bool = False) -> dict[str, Any]:
    """What is run; raises the scaffold's own error where it can't be.

    A light look finds a class in its file and imports nothing: an agent of Harbor's may import for seconds.
    """
    name = config.scaffold.name
    if light and is_defined(*name.partition(":")[::2]):
        return {"agent": f"{name}, seen in its file and not imported", "brings": []}
    found = resolve(name, config.scaffold.options)
    return {"agent": found.import_path or found.name, "brings": list(found.read_only)}


def is_defined(module: str, class_name: str) -> bool:
    """Whether a module's file defines or imports the class at its top; False too where only an import can tell."""
    file = _file(module)
    if not class_name or file is None:
        return False
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    return any(class_name in _names(node) for node in tree.body)


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    return [each.asname or each.name for each in node.names] if isinstance(node, ast.ImportFrom) else []


def _file(module: str) -> Path | None:
    """The file of a module, its packages not imported."""
    path: list[str] | None = sys.path
    spec = None
    for end in range(len(module.split("."))):
        spec = PathFinder.find_spec(".".join(module.split(".")[: end + 1]), path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None
