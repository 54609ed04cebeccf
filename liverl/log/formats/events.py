"""TensorBoard's event files, read as bytes: records of a protobuf Event, of which the scalars are kept."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from datetime import UTC, datetime

from liverl.log.formats.rows import Rows
from liverl.log.names import Names

_HEADER, _FOOTER = 12, 4
_LONGEST_RECORD = 64 << 20
_FLOAT, _DOUBLE = 1, 2


def event_rows(content: bytes, wanted: Collection[str] | None) -> Rows:
    """The scalars of an event file by step; of a file that ends within a record what is before it."""
    by_step: dict[int, dict[str, float]] = {}
    times: dict[int, float] = {}
    names = Names(wanted)
    for record in _records(content):
        try:
            step, time, scalars = _event(record)
        except (ValueError, IndexError, struct.error):
            continue
        for tag, value in scalars:
            if names.of(tag) is not None:
                by_step.setdefault(step, {})[tag] = value
                times.setdefault(step, time)
    rows = Rows(Names(wanted))
    for step in sorted(by_step):
        rows.add(by_step[step], step, time=_iso(times[step]))
    return rows


def _records(content: bytes) -> Iterator[bytes]:
    at = 0
    while at + _HEADER <= len(content):
        (length,) = struct.unpack_from("<Q", content, at)
        if length > _LONGEST_RECORD or at + _HEADER + length + _FOOTER > len(content):
            return
        yield content[at + _HEADER : at + _HEADER + length]
        at += _HEADER + length + _FOOTER


def _event(record: bytes) -> tuple[int, float, list[tuple[str, float]]]:
    """Step, wall time and scalars of an Event: its fields 2, 1 and 5."""
    step, time = 0, 0.0
    scalars: list[tuple[str, float]] = []
    for number, value in _fields(record):
        if number == 1 and isinstance(value, bytes) and len(value) == 8:
            (time,) = struct.unpack("<d", value)
        elif number == 2 and isinstance(value, int):
            step = value if value < 2**53 else 0
        elif number == 5 and isinstance(value, bytes):
            for inner, each in _fields(value):
                if inner == 1 and isinstance(each, bytes) and (scalar := _scalar(each)) is not None:
                    scalars.append(scalar)
    return step, time, scalars


def _scalar(message: bytes) -> tuple[str, float] | None:
    """A Summary.Value: its tag (1) with its simple value (2) or its tensor (8)."""
    tag, told = "", None
    for number, value in _fields(message):
        if number == 1 and isinstance(value, bytes):
            tag = value.decode("utf-8", "replace")
        elif number == 2 and isinstance(value, bytes) and len(value) == 4:
            (told,) = struct.unpack("<f", value)
        elif number == 8 and isinstance(value, bytes):
            told = _tensor(value)
    if not tag or told is None:
        return None
    # nan and inf were measured: the columns have one word for both.
    return tag, told if told - told == 0 else float("inf")


def _tensor(message: bytes) -> float | None:
    """The one number of a TensorProto of float (dtype 1) or double (2)."""
    kind, told = 0, None
    for number, value in _fields(message):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number in (4, 5, 6) and isinstance(value, bytes):
            form, size = ("<f", 4) if kind == _FLOAT else ("<d", 8) if kind == _DOUBLE else ("", 0)
            if size and len(value) == size:
                (told,) = struct.unpack(form, value)
    return told


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protobuf message: a number for a varint, bytes for everything else."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if kind == 2:
            length, at = _varint(message, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("no such kind of field")
        if at + length > len(message):
            raise ValueError("the message is cut")
        yield key >> 3, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _iso(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""
