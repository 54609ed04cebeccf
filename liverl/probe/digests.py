"""What an answer depends on, as short texts to remember it by: the model folder, this package's rooms, versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import liverl

# Reading and hashing so much takes 0.06 s; a larger file of weights is known by its size and time.
_WHOLE_BYTES = 64 << 20


def digest_of(*parts: Any) -> str:
    """A digest of plain JSON values, in their order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def versions(*packages: str) -> list[str]:
    """`name version` of each package, without importing it; `name -` where it is not installed."""
    return [f"{name} {_version(name)}" for name in packages]


def model_digest(folder: Path) -> str:
    """A digest of a model folder's files: of their content, of large ones their size and time of change."""
    digest = hashlib.sha256(str(folder).encode())
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        facts = file.stat()
        content = file.read_bytes() if facts.st_size <= _WHOLE_BYTES else str(facts.st_mtime_ns).encode()
        digest.update(f"\0{file.name}\0{facts.st_size}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def rooms_digest(*rooms: str) -> str:
    """A digest of this package's own code in some of its rooms, such as `gateway` or `engine/cpu`."""
    digest = hashlib.sha256()
    package = Path(liverl.__file__).parent
    for room in rooms:
        place = package / room
        files = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
        add_files(digest, sorted(files), package)
    return digest.hexdigest()


def add_files(digest: hashlib._Hash, files: Iterable[Path], root: Path) -> None:
    """Feed each file's path below `root`, whether it can be executed, and its content to the digest."""
    for file in files:
        content = file.read_bytes()
        mode = file.stat().st_mode & 0o111
        digest.update(f"\0{file.relative_to(root)}\0{mode}\0{len(content)}\0".encode())
        digest.update(content)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"
