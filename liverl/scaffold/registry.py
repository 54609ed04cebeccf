"""The scaffolds by name: which Harbor agent each is, and what it needs of the sandbox."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from liverl.errors import ConfigError

SHELL = "liverl.scaffold.shell:ShellAgent"
CLAUDE_CODE = "liverl.scaffold.claude_code:ClaudeCodeAgent"


@dataclass(frozen=True)
class Scaffold:
    """An agent as Harbor loads it: `name` for Harbor's own, else `import_path`.

    `inside` says that it calls the model from within the sandbox, which then needs a door; `read_only` (host
    path → path inside) what it brings along; `memory_mb` the least it runs in.
    """

    name: str | None = None
    import_path: str | None = None
    inside: bool = False
    read_only: Mapping[str, str] = field(default_factory=dict)
    memory_mb: int = 0


# What Harbor calls an agent by (harbor/agents/base.py).
_AGENT_HAS = ("name", "setup", "run")


def resolve(name: str, options: Mapping[str, Any]) -> Scaffold:
    """The scaffold called `name`: "shell", "claude-code", "oracle", "nop", or any Harbor agent as
    "module:Class".

    Raises `ConfigError` for another name, and what the scaffold itself raises when its `options` can't be
    met.
    """
    if name == "shell":
        return Scaffold(import_path=SHELL)
    if name in ("oracle", "nop"):
        return Scaffold(name=name)
    if name == "claude-code":
        from liverl.scaffold.claude_code import INSIDE, MEMORY_MB, find_binary

        binary = find_binary(str(options.get("binary", "")))
        return Scaffold(
            import_path=CLAUDE_CODE, inside=True, read_only={str(binary): INSIDE}, memory_mb=MEMORY_MB
        )
    module, separator, class_name = name.partition(":")
    if not separator:
        raise ConfigError(
            "config.scaffold",
            f"There is no scaffold called {name}.",
            next_action="Use shell, claude-code, or the import path of a Harbor agent, module:Class.",
        )
    try:
        found = getattr(importlib.import_module(module), class_name)
        if not (isinstance(found, type) and all(hasattr(found, name) for name in _AGENT_HAS)):
            raise AttributeError(f"{class_name} of {module} is no class of a Harbor agent")
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            "config.scaffold", f"The scaffold {name} can't be imported.", evidence=str(error)
        ) from error
    return Scaffold(import_path=name, inside=True)
