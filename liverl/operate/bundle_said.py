"""What a log from elsewhere says of its run, for a bundle: versions, settings, components' ends, the first exception.

run_says          versions and set-up, as far as the log tells them
components        the last lines of each process that a log names
first_exception   the line of the first traceback
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from liverl.log.clean import LINE_BYTES, parse_line
from liverl.log.formats.detect import encoding_of
from liverl.log.formats.encoded import plain_bytes, plain_pieces
from liverl.log.printed import of_dicts
from liverl.log.settings import HEAD_BYTES, settings_of
from liverl.record.masking import mask

_PACKAGES = (
    "verl", "torch", "transformers", "ray", "vllm", "sglang", "trl", "deepspeed", "accelerate", "peft", "flash[-_]attn",
    "megatron[-_]core", "numpy", "tensordict", "litellm", "harbor", "openrlhf", "areal", "wandb", "python", "cuda",
)  # fmt: skip
# `vllm==0.11.0`, `torch 2.8.0+cu128`, `PyTorch version: 2.8.0`, `vLLM API server version 0.11.0`, `engine (v0.11.0)`.
_VERSION = re.compile(
    rf"(?<![\w./-])(?:py(?=torch))?(?P<name>{'|'.join(_PACKAGES)})"
    r"(?:==|[ \t]{1,20}|:[ \t]|[ \t](?:api server |llm engine )?(?:engine )?(?:version:?|\(|\(version:?)[ \t]?)"
    r"(?:v(?=\d)|version:?[ \t])?"
    r"(?P<version>\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?:\.?(?:dev|post|rc|a|b)\d{1,9})?(?:\+[\w.]{1,40})?)(?![\w/%.]*[\w/%])",
    re.IGNORECASE,
)
_USED = re.compile(
    r"(?i:using) (?P<name>vLLM|SGLang|PyTorch|torch) version:? v?(?P<version>\d[\w.+]{1,40}\w)"
)
_VERSION_BYTES = 2 << 20
_LINES, _COMPONENTS, _LOOK_BYTES = 40, 12, 64 << 20
_LINE_CHARS = 4000
_TRACEBACK = b"Traceback (most recent call last)"


def run_says(file: Path) -> dict[str, Any]:
    """What the log's beginning tells: `versions`, `settings` as LiveRL names them, `configured` as the program does;
    without those that it does not tell."""
    head = plain_bytes(file, _VERSION_BYTES)
    start = head[:HEAD_BYTES]
    said = {
        "versions": _versions(head.decode(errors="replace")),
        "settings": settings_of(start),
        "configured": {key: _kept(key, value) for key, value in of_dicts(start)},
    }
    return {name: values for name, values in said.items() if values}


def _versions(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in (*_USED.finditer(text), *_VERSION.finditer(text)):
        name = each["name"].lower().replace("_", "-").removeprefix("py") or "torch"
        found.setdefault("python" if name == "thon" else name, each["version"])
    return found


def _kept(key: str, value: str) -> str:
    """The value without a secret, which its key may give away."""
    return mask(f"{key.rpartition('.')[2]}={value}").partition("=")[2]


def components(file: Path) -> dict[str, str]:
    """The last 40 lines of each process that has a name in the log, in one pass over its last 64 MiB; of the 12 that
    have printed last. Nothing where no line has a name."""
    last: dict[str, deque[bytes]] = {}
    for raw in _last_lines(file):
        if b"(" not in raw[:160]:
            continue
        actor = parse_line(raw[:400]).actor
        if actor:
            kept = last.pop(actor, None) or deque(maxlen=_LINES)
            kept.append(raw[:LINE_BYTES])
            last[actor] = kept  # behind those that have printed nothing since
    chosen = dict(list(last.items())[-_COMPONENTS:])
    return {actor: "\n".join(_shown(raw) for raw in lines) for actor, lines in chosen.items()}


def _shown(raw: bytes) -> str:
    return mask(parse_line(raw).text)[:_LINE_CHARS]


def _last_lines(file: Path) -> Iterator[bytes]:
    """The lines of the last 64 MiB, without the end of the one that begins before them."""
    is_cut, pieces = _last_pieces(file)
    begun = b""
    for piece in pieces:
        *whole, begun = (begun + piece).split(b"\n")
        yield from whole[is_cut:]
        is_cut = is_cut and not whole
        begun = begun[:LINE_BYTES]
    if begun and not is_cut:
        yield begun


def _last_pieces(file: Path) -> tuple[bool, Iterator[bytes]]:
    """The last 64 MiB in pieces, and whether something stands before them; of a packed file all is unpacked."""
    with file.open("rb") as stream:
        is_packed = bool(encoding_of(stream.read(4096)))
    if not is_packed:
        start = max(0, file.stat().st_size - _LOOK_BYTES)
        return start > 0, _from(file, start)
    kept: deque[bytes] = deque()
    total = dropped = 0
    for piece in plain_pieces(file):
        kept.append(piece)
        total += len(piece)
        while total - len(kept[0]) >= _LOOK_BYTES:
            dropped += 1
            total -= len(kept.popleft())
    return dropped > 0, iter(kept)


def _from(file: Path, start: int) -> Iterator[bytes]:
    with file.open("rb") as stream:
        stream.seek(start)
        left = _LOOK_BYTES  # of a file that grows no more than it had
        while left > 0 and (piece := stream.read(min(left, 1 << 20))):
            left -= len(piece)
            yield piece


def first_exception(file: Path, before: int) -> int:
    """The number of the line at which the first traceback begins that stands before a line; 0 where none does."""
    at, begun = 1, b""
    for piece in plain_pieces(file):
        text = begun + piece
        found = text.find(_TRACEBACK)
        if found >= 0:
            number = at + text.count(b"\n", 0, found)
            return number if number < before else 0
        at += text.count(b"\n")
        if at >= before:
            return 0
        begun = text[text.rfind(b"\n") + 1 :][-LINE_BYTES:]
    return 0
