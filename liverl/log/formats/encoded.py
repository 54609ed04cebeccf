"""Files whose bytes are not yet text in UTF-8: packed by gzip, bzip2 or xz, or in UTF-16."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from liverl.errors import LiveRLError
from liverl.log.formats.detect import encoding_of

_PIECE_BYTES = 1 << 20


class _Packed(Protocol):
    """A packed file, which gives what it has before it says that it is cut: `read` would keep that to itself."""

    def read1(self, size: int = -1, /) -> bytes: ...


def _nobody() -> None:
    """Who wants to know of a cut."""


def plain_bytes(path: Path, limit_bytes: int, on_cut: Callable[[], None] = _nobody) -> bytes:
    """The first bytes of a file as UTF-8; raises `LiveRLError` log.missing and log.packed."""
    found = bytearray()
    for piece in plain_pieces(path, on_cut):
        found += piece
        if len(found) >= limit_bytes:
            break
    return bytes(found[:limit_bytes])


def plain_pieces(path: Path, on_cut: Callable[[], None] = _nobody) -> Iterator[bytes]:
    """A file as UTF-8, about a mebibyte at a time; what is packed is unpacked as far as it is whole, and `on_cut` is
    called where that is not to its end.

    Raises `LiveRLError` log.missing where it can't be read, log.packed where nothing here unpacks it.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(4096)
            stream.seek(0)
            encoding = encoding_of(head)
            if encoding == "zstd":
                raise LiveRLError(
                    "log.packed",
                    "The file is packed by zstd, which is not unpacked here.",
                    evidence=str(path),
                    next_action=f"zstd -d {path}, then diagnose the unpacked file",
                )
            if encoding in ("gzip", "bzip2", "xz"):
                yield from _text(_unpacked(_opened(stream, encoding), on_cut))
            else:
                yield from _text(iter(lambda: stream.read(_PIECE_BYTES), b""), encoding)
    except OSError as error:
        raise LiveRLError(
            "log.missing",
            "There is no file that can be read.",
            evidence=f"{path}: {error.strerror or error}",
            next_action="give the path of a log or of a file of metrics",
        ) from None


def _opened(stream: BinaryIO, encoding: str) -> _Packed:
    if encoding == "gzip":
        return cast(_Packed, gzip.open(stream, "rb"))
    return cast(_Packed, bz2.open(stream, "rb") if encoding == "bzip2" else lzma.open(stream, "rb"))


def _unpacked(stream: _Packed, on_cut: Callable[[], None]) -> Iterator[bytes]:
    """What a packed file holds, until where it is cut or damaged."""
    while True:
        try:
            piece = stream.read1(_PIECE_BYTES)
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError, ValueError):
            on_cut()
            return
        if not piece:
            return
        yield piece


def _text(pieces: Iterator[bytes], encoding: str = "") -> Iterator[bytes]:
    """The pieces in UTF-8, without a mark of the order of bytes."""
    decoder: codecs.IncrementalDecoder | None = None
    for index, piece in enumerate(pieces):
        if index == 0:
            encoding = encoding or encoding_of(piece[:4096])
            if encoding in ("utf-16-le", "utf-16-be"):
                decoder = codecs.getincrementaldecoder(encoding)("replace")
        text = piece if decoder is None else decoder.decode(piece).encode("utf-8", "replace")
        yield text.removeprefix(b"\xef\xbb\xbf") if index == 0 else text
