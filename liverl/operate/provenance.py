"""What a run is made with: the versions of the packages that decide its numbers, and the commit of the checkout."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

PACKAGES = (
    "liverl",
    "verl",
    "torch",
    "transformers",
    "tensordict",
    "transferqueue",
    "ray",
    "vllm",
    "harbor",
    "litellm",
)
# A checkout on a hung network disk must not keep a run from starting.
_GIT_LIMIT_S = 5.0


@dataclass(frozen=True)
class Checkout:
    """The commit of this package's checkout and whether files differ from it; no commit where there is none."""

    commit: str = ""
    dirty: bool = False


def versions(python: str) -> dict[str, str]:
    """The installed versions in an interpreter's environment, read without starting or importing anything.

    Those of this process where the interpreter has no `lib/python3*/site-packages` beside it.
    """
    folders = [str(path) for path in Path(python).parent.parent.glob("lib/python3*/site-packages")]
    found: dict[str, str] = {}
    for each in distributions(path=folders) if folders else distributions():
        name = (each.metadata["Name"] or "").lower().replace("_", "-")
        if name in PACKAGES:
            found.setdefault(name, each.version)
    return {name: found[name] for name in PACKAGES if name in found}


def checkout(folder: Path | None = None) -> Checkout:
    """The commit of a folder, by default that of this package, where it is a checkout and git answers within 5 s."""
    folder = folder or Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return Checkout()
    commit = _git(folder, "rev-parse", "HEAD")
    return Checkout(commit, bool(commit and _git(folder, "status", "--porcelain", "--untracked-files=no")))


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_GIT_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
