"""How many parameters a model folder holds, from the headers of its weight files, without loading them."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# What the small policy may have at most; used before it is built.
SMALL_POLICY = 8_000_000
_LARGEST_HEADER = 100_000_000
_TORCH_BYTES = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2}


def count_parameters(folder: Path) -> int:
    """Parameters of a Hugging Face folder; 0 where unknown.

    An index names the files that count: some models ship their weights a second time beside them, as
    `consolidated` files. Old .bin files can't be counted without loading; their size is divided by the bytes of the
    dtype in config.json.
    """
    shards = _indexed(folder / "model.safetensors.index.json") or _alone(folder, "safetensors")
    counted = sum(_in_safetensors(file) for file in shards)
    if counted:
        return counted
    old = _indexed(folder / "pytorch_model.bin.index.json") or _alone(folder, "bin")
    return sum(file.stat().st_size for file in old) // _stored_bytes(folder)


def _indexed(index: Path) -> list[Path]:
    """The files that an index names and that are there; none where there is no readable index."""
    try:
        named: Iterable[str] = set(json.loads(index.read_bytes())["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    return [path for name in sorted(named) if (path := index.parent / str(name)).is_file()]


def _alone(folder: Path, suffix: str) -> list[Path]:
    whole = folder / ("model.safetensors" if suffix == "safetensors" else "pytorch_model.bin")
    if whole.is_file():
        return [whole]
    return [file for file in folder.glob(f"*.{suffix}") if not file.name.startswith("consolidated")]


def _in_safetensors(file: Path) -> int:
    """Format: 8 bytes of header length, little endian, then JSON with each tensor's shape."""
    with file.open("rb") as stream:
        start = stream.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 0 < length <= _LARGEST_HEADER:
            return 0
        header: dict[str, Any] = json.loads(stream.read(length))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")


def _stored_bytes(folder: Path) -> int:
    try:
        content = json.loads((folder / "config.json").read_bytes())
        return _TORCH_BYTES.get(str(content.get("dtype") or content.get("torch_dtype")), 2)
    except (OSError, ValueError, AttributeError):
        return 2
