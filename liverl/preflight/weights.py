"""How many parameters a model folder holds, from the headers of its weight files, without loading them."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

# What the small policy may have at most; used before it is built.
SMALL_POLICY = 8_000_000
_LARGEST_HEADER = 100_000_000


def count_parameters(folder: Path) -> int:
    """Parameters of a Hugging Face folder, .bin files guessed at two bytes each; 0 where unknown."""
    counted = sum(_in_safetensors(file) for file in folder.glob("*.safetensors"))
    return counted or sum(file.stat().st_size // 2 for file in folder.glob("*.bin"))


def _in_safetensors(file: Path) -> int:
    """Format: 8 bytes of header length, little endian, then JSON with each tensor's shape."""
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        if length > _LARGEST_HEADER:
            return 0
        header: dict[str, Any] = json.loads(stream.read(length))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")
