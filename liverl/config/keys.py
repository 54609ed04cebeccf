"""The keys that exist, in words: what each takes, its default, and which one a misspelt key may mean."""

from __future__ import annotations

import difflib
import types
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from liverl.config.schema import NAME, NAME_OR_EMPTY, SCAFFOLD, RunConfig

_TYPES: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    Path: "a folder's path",
    dict: "a mapping",
}

_PATTERNS = {
    NAME: "made of letters, digits, dots, dashes and underscores",
    NAME_OR_EMPTY: "made of letters, digits, dots, dashes and underscores, or empty",
    SCAFFOLD: "that is shell, claude-code or module:Class",
}


@cache
def fields() -> dict[str, FieldInfo]:
    """Every settable key (`training.steps`) with its field, in the order of the sections."""
    found: dict[str, FieldInfo] = {}
    for section, info in RunConfig.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found.update({f"{section}.{name}": below for name, below in kind.model_fields.items()})
        else:
            found[section] = info
    return found


@cache
def sections() -> tuple[str, ...]:
    """The top-level keys."""
    return tuple(RunConfig.model_fields)


def default(key: str) -> object:
    """The schema's default of a key."""
    return fields()[key].get_default(call_default_factory=True)


def meaning(key: str) -> str:
    """The key's one-line description."""
    return " ".join((fields()[key].description or "").split())


def expectation(key: str) -> str:
    """What the key takes, in words: `a whole number from 1`, `one of cpu, vllm`."""
    info = fields()[key]
    choices = _choices(info.annotation)
    if choices:
        return f"{'one of ' if len(choices) > 1 else ''}{', '.join(map(str, choices))}"
    limits = [_limit(part) for part in _metadata(info)]
    return " ".join([_kind(info.annotation), *filter(None, limits)])


def nearest(key: str) -> str:
    """The existing key that an unknown one most likely means; empty where none is close."""
    known = [*fields(), *sections()]
    name = key.rpartition(".")[2]
    elsewhere = [other for other in fields() if other.rpartition(".")[2] == name]
    # Two keys of one section are alike by the section alone: their names have to be alike too.
    close = difflib.get_close_matches(key, known, n=3, cutoff=0.75)
    alike = [other for other in close if _alike(other.rpartition(".")[2], name)]
    if alike:
        return alike[0]
    by_name = difflib.get_close_matches(
        name, [other.rpartition(".")[2] for other in fields()], n=1, cutoff=0.8
    )
    similar = [other for other in fields() if by_name and other.rpartition(".")[2] == by_name[0]]
    return next(iter([*elsewhere, *similar]), "")


def _alike(one: str, other: str) -> bool:
    return difflib.SequenceMatcher(None, one, other).ratio() >= 0.6


def _metadata(info: FieldInfo) -> Sequence[object]:
    annotation: Any = info.annotation
    nested = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
    return [*info.metadata, *nested]


def _choices(annotation: Any) -> tuple[object, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _kind(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin in (Annotated, Union, types.UnionType):
        return _kind(get_args(annotation)[0])
    return _TYPES.get(origin or annotation, "a value")


def _limit(part: object) -> str:
    pattern = getattr(part, "pattern", None)
    if pattern:
        return _PATTERNS[pattern]
    words = {"ge": "from", "gt": "above", "le": "up to", "lt": "below"}
    found = [(word, getattr(part, name, None)) for name, word in words.items()]
    return " ".join(f"{word} {bound}" for word, bound in found if bound is not None)
