"""A configuration as text for a person."""

from __future__ import annotations

import shlex

from liverl.operate.config_show import Shown, VerlShown


def shown(found: Shown, *, every: bool) -> str:
    """Every value with its origin; without `every`, those that somebody or the profile has set."""
    settings = [item for item in found.settings if every or item.origin != "default"]
    width = max((len(item.key) for item in settings), default=0)
    wide = max((len(str(item.value)) for item in settings if len(str(item.value)) < 40), default=0)
    lines = [f"{item.key:<{width}}  {item.value!s:<{wide}}  # {item.origin}" for item in settings]
    more = "" if every else "\n# the rest are defaults: liverl config show --resolved"
    return f"# {found.path}, profile {found.profile}\n" + "\n".join(lines) + more


def verl(command: VerlShown) -> str:
    """The command as it could be pasted into a shell, one override a line."""
    env = [f"export {name}={shlex.quote(value)}" for name, value in sorted(command.env.items())]
    argv = " \\\n  ".join(shlex.quote(part) for part in command.argv)
    return "\n".join([*env, f"cd {shlex.quote(command.cwd)}", argv])
