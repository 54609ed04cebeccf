"""What every verb answers with: the same JSON on the command line and at the MCP server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from liverl.errors import LiveRLError

SUMMARY_CHARS = 200


class Answer(Protocol):
    """A verb's result.

    `ok` is false where something was refused, failed or would not work; `summary` says all in one line of at
    most 200 characters; `payload` is the rest as plain JSON; `next_action` is one command or one sentence.
    """

    @property
    def ok(self) -> bool: ...

    @property
    def summary(self) -> str: ...

    @property
    def next_action(self) -> str: ...

    def payload(self) -> dict[str, Any]: ...


def as_json(answer: Answer) -> dict[str, Any]:
    """`{"ok", "summary", ...payload, "next"}`; what is None or empty is left out."""
    head = {"ok": answer.ok, "summary": cut(answer.summary, SUMMARY_CHARS)}
    return {
        **head,
        **without_nulls(answer.payload()),
        **({"next": answer.next_action} if answer.next_action else {}),
    }


def error_as_json(error: LiveRLError) -> dict[str, Any]:
    """An error in the same form, with its code."""
    told = {"ok": False, "summary": error.message, "code": error.code}
    return {**told, **without_nulls({"evidence": error.evidence, "next": error.next_action})}


def without_nulls(row: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that say something: not None, and no empty text or object, at any depth; an empty list says so."""
    return {key: kept for key, value in row.items() if (kept := _kept(value)) not in (None, "", {})}


def cut(text: str, limit: int) -> str:
    """The text on one line, at most so many characters long."""
    text = " ".join(text.split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _kept(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_nulls(value)
    if isinstance(value, list | tuple):
        return [_kept(item) for item in value]
    return value
