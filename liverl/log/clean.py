"""One raw line of a log as a person reads it: who said it and what, without terminal codes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# verl's step lines have 6 kB with 170 metrics; what is longer is told by its beginning.
LINE_BYTES = 16_384

_ANSI = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# Colours whose escape was lost, or was written out, when a log was copied.
_COLOUR = re.compile(r"(?:\^\[|\\(?:x1b|u001b|033))?\[\d{1,3}(?:;\d{1,3}){0,4}m")
_ACTOR = re.compile(r"\((?:([^()]{1,80}?),? (?:pid|ip)=[^()]{1,80}|(raylet|autoscaler)[^()]{0,40})\) ?")
# What a cluster's or a composer's own collector of logs writes before each line: a time, a container's name; or the
# space by which a log was moved in when it was quoted.
_COLLECTED = re.compile(
    r"(?:20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? +|[\w.-]{1,60} +\| "
    r"|(?:> ?| ){1,24}(?=\([\w.:-]{1,80}[ ,][^()]{0,40}(?:pid|ip)=))+(?=\()"
)
_RAW_ACTOR = re.compile(
    rb"(?:20\d\d-\d\d-\d\d[T ][\d:.,]{8,18}Z? +|[\w.-]{1,60} +\| )?(?:\x1b\[[0-9;]*m)*\(([A-Za-z_][\w.:-]{0,80})"
)
_REPEATED = re.compile(r"\s*\[repeated (\d{1,9})x across cluster\].*$")
_NOT_SHOWN = {code: None for code in (*range(9), *range(10, 32), *range(127, 160))} | {9: " "}

_ROLLOUT = ("cpuserver", "vllm", "sglang", "trtllm", "enginecore", "apiserver", "worker_", "fullyasyncrollouter",
            "messagequeue", "globalrequestloadbalancer", "rewardloop")  # fmt: skip
COMPONENTS = ("trainer", "rollout", "gateway", "litellm")


class Line(NamedTuple):
    """Who said something (a Ray actor, "" for the trainer's own process), what, and how often Ray says it was said."""

    actor: str
    text: str
    times: int = 1

    @property
    def shown(self) -> str:
        """The line with who said it."""
        return f"({self.actor}) {self.text}" if self.actor else self.text


def parse_line(raw: bytes) -> Line:
    """A line of bytes, whatever they are; of one that redraws itself by carriage returns what it drew last."""
    text = _drawn_last(raw)[:LINE_BYTES].decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "[0m" in text:
        text = _COLOUR.sub("", text)
    if not text.isprintable():
        text = text.translate(_NOT_SHOWN)
    actors: list[str] = []
    text = text[_collected(text) :]
    while text.startswith("(") and (found := _ACTOR.match(text)) and len(actors) < 3:
        actors.append(found.group(1) or found.group(2))
        text = text[found.end() :]
    times = 1
    if "x across cluster]" in text and (repeated := _REPEATED.search(text)):
        times, text = int(repeated.group(1)), text[: repeated.start()]
    return Line(" ".join(actors), text.rstrip(), times)


def _collected(text: str) -> int:
    """How many characters a collector of logs put before an actor's name."""
    if not (text.startswith(("20", " ", ">")) or " | (" in text[:80]):
        return 0
    found = _COLLECTED.match(text)
    return found.end() if found and _ACTOR.match(text, found.end()) else 0


def component_of(raw: bytes) -> str:
    """The component whose process printed a line, by the name of its Ray actor: trainer, rollout or gateway.

    The gateway and the trials live in the agent-loop workers; a line without an actor is the trainer's.
    """
    found = _RAW_ACTOR.match(raw)
    return "trainer" if found is None else _component(found.group(1))


@lru_cache(maxsize=256)
def _component(actor: bytes) -> str:
    name = actor.decode(errors="replace").lower()
    if name.startswith("agentloopworker"):
        return "gateway"
    return "rollout" if name.startswith(_ROLLOUT) else "trainer"


def _drawn_last(raw: bytes) -> bytes:
    if b"\r" not in raw:
        return raw
    kept = raw.rstrip(b"\r")
    prefix, _, drawn = kept.rpartition(b"\r")
    # The actor stands once, before the first redraw.
    named = _RAW_ACTOR.match(prefix)
    head = prefix[: prefix.find(b")") + 1] + b" " if named else b""
    return head + drawn
