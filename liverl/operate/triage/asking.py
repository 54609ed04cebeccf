"""One question to a Messages endpoint: in bounded time, and its answer in a form that can be relied on.

Reply   what came back, whatever the endpoint is: text and tools asked for
ask     raises `RunError` where nothing usable came in time
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from liverl.errors import RunError
from liverl.record.masking import mask

# Two thousand output tokens are some 10 kB; what is a hundred times that is no answer.
_MOST_BYTES = 1 << 20
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True)
class Use:
    """A tool that the model asks for, its arguments as they came."""

    id: str
    name: str
    given: Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """What a model said: its text, the tools it asks for, and the tokens that the endpoint counts."""

    text: str
    uses: tuple[Use, ...]
    tokens: int

    @property
    def content(self) -> list[dict[str, Any]]:
        """The reply as it is told again in the next question; never empty."""
        said: list[dict[str, Any]] = [{"type": "text", "text": self.text}] if self.text.strip() else []
        said += [
            {"type": "tool_use", "id": use.id, "name": use.name, "input": dict(use.given)}
            for use in self.uses
        ]
        return said or [{"type": "text", "text": "…"}]


def ask(client: Any, request: Mapping[str, Any], limit_s: float) -> Reply:
    """Ask by an `anthropic.Anthropic` client; takes at most `limit_s`, however slowly the endpoint drips."""
    return _within(limit_s, lambda: _read(_bytes(client, request, limit_s)))


def unanswered(seen: str) -> RunError:
    """The error of an endpoint that gave nothing usable."""
    return RunError(
        "triage.endpoint",
        "The model's endpoint gave no answer.",
        evidence=mask(" ".join(seen.split()))[:300],
        next_action="check ANTHROPIC_BASE_URL, the key and --model; --offline asks no model",
    )


def _within(limit_s: float, call: Callable[[], Reply]) -> Reply:
    outcome: list[Reply | RunError] = []

    def run() -> None:
        try:
            outcome.append(call())
        except RunError as error:
            outcome.append(error)
        except (
            Exception
        ) as error:  # the thread's edge: what the SDK and its HTTP client raise has no common base
            outcome.append(unanswered(f"{type(error).__name__}: {error}"))

    # A daemon: one that hangs for ever must not keep the process.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit_s)
    if not outcome:
        raise unanswered(f"no whole answer within {limit_s:.0f} s")
    if isinstance(outcome[0], RunError):
        raise outcome[0] from None
    return outcome[0]


def _bytes(client: Any, request: Mapping[str, Any], limit_s: float) -> bytes:
    import anthropic

    body = bytearray()
    try:
        with client.messages.with_streaming_response.create(**request, timeout=limit_s) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > _MOST_BYTES:
                    raise unanswered(f"more than {_MOST_BYTES >> 10} kB came")
    except anthropic.APIStatusError as error:
        raise unanswered(f"{error.status_code}: {error.message}") from None
    return bytes(body)


def _read(body: bytes) -> Reply:
    try:
        told = json.loads(body, parse_constant=_refuse)
        # Half a character, which JSON can spell and UTF-8 can't, becomes a question mark.
        told = json.loads(json.dumps(told, ensure_ascii=False, allow_nan=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        raise unanswered(f"no JSON: {body[:120].decode(errors='replace')}") from None
    content = told.get("content") if isinstance(told, dict) else None
    if not isinstance(content, list):
        raise unanswered(f"no message: {body[:120].decode(errors='replace')}")
    blocks = [block for block in content if isinstance(block, dict)]
    text = "\n".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    uses = tuple(_use(block) for block in blocks if block.get("type") == "tool_use")
    return Reply(text, uses, _tokens(told.get("usage"), len(body)))


def _use(block: Mapping[str, Any]) -> Use:
    given = block.get("input")
    # The API takes back only names of these characters, also of tools that do not exist.
    name = _NOT_A_NAME.sub("_", str(block.get("name")))[:64] or "unknown"
    return Use(str(block.get("id"))[:200], name, given if isinstance(given, dict) else {})


def _tokens(usage: Any, size: int) -> int:
    counted = usage if isinstance(usage, dict) else {}
    told = [counted.get(name) for name in ("input_tokens", "output_tokens")]
    # An endpoint that counts nothing is still bounded by what it said.
    return max(sum(each for each in told if isinstance(each, int) and each > 0), size // 4)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
